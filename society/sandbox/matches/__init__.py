"""Games and single decisions of programs, played inside a worker."""
