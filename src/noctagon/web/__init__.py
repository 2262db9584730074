"""The page: an API over HTTP and WebSockets, live games, analyses; the interface itself lies in `static`."""
