"""The rules: one family of filters a file, the unsound ones beside the sound."""
