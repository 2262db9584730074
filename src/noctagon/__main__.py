"""`python -m noctagon`: the same as the command `noctagon`."""

from noctagon.cli import main

main()
