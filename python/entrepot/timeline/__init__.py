"""The chain of jobs as a page: which models ran in each job, how long and why, how old the data was, and what waits (decision 47).

`content` reads the books into rows; `document` puts them into one HTML file. The scripts are plain JavaScript, one idea a file.
"""
