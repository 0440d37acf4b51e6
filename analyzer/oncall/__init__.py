"""What the engineer on call asks: what moved, since which hour, what carries it, and one request.

Alarms rest on weekly counts; here the requests themselves are asked, for as long as they are held.
"""
