"""`python -m society`: the same as the command `society`."""

import sys

from .cli.main import main

sys.exit(main())
