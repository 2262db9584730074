"""The course's TCP protocol: packets, server, client and bot checker."""
