"""What is known of each library, one a file: its entry points, what was found in them and what was not looked at."""
