"""The routes of the page's API, one module for each resource."""
