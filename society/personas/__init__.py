"""People for cohorts: tables of them, how they are drawn from tables and from axes."""
