"""Studies: claims about players, read from a file, put to the test by paired games, and the report about them."""
