"""What the tests of loading share: how records are built, how stores are looked at."""
