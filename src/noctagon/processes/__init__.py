"""Everything that runs outside this process: bots, programs, worker pools, and their limits."""
