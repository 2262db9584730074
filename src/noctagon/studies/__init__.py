"""Studies: games played and positions searched to answer a question, and the page that tells the answer."""
