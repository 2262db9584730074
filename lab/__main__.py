"""The commands of the lab: `python -m lab`, from a checkout of the repository."""
