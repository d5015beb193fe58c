"""The page of the mapping: one HTML file that shows a state, without a server and without a network (METL 6.3).

`content` is what the page knows, as rows that its scripts read; `document` puts rows, scripts and styles into one text, by what all pages have in
common (`entrepot.page`). The scripts are plain JavaScript, one idea a file; `document.PAGE` has their order.
"""
