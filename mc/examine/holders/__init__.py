"""The games of holders: two data sets that differ in one person, blocks of a tracker, the bound of an odometer.

Each is played by the holder's own code, and replayed from its data by anyone who has that code.
"""
