"""The page of the mapping: one HTML file that shows a state, without a server and without a network (METL 6.3).

`content` is what the page knows, as rows that its scripts read; `document` puts rows, scripts and styles into one text. The scripts are
plain JavaScript, one idea a file, and begin with `element.js`; `document.SCRIPTS` is their order.
"""
