"""The examination of one filter: attacks, challenges and the witnesses that anyone can replay."""
