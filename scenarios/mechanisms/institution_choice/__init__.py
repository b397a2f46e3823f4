"""Choice among institutions."""
