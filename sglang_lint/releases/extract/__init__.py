"""Reading what a release's parser accepts out of its source, which is never imported or run."""
