"""What the documents say is true: their commands run, their tables are the code's."""
