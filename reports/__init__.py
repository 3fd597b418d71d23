"""What is shown: claims, figures, the report and the command line."""
