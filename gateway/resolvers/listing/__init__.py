"""What every list of the gateway shares: declared filters and orders, three kinds of window, statements per shape."""
