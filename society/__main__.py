"""`python -m society`: the same as the command `society`."""

import sys

from .cli import main

sys.exit(main())
