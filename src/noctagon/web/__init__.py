"""The page: an API over HTTP and WebSockets, live games and analyses. The interface itself is in `static`."""
