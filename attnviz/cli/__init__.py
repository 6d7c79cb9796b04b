"""The command `attnviz`: standard library only, until it is known that the app can run."""
