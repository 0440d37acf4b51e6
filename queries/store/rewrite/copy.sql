-- Copy every table with its rows in their order.
COPY FROM DATABASE old TO new
