"""What the pages that entrepot writes have in common: one HTML file that loads nothing, its colours and its frame (decision 33).

`document` puts rows, scripts and styles into one text; `element.js` and `colours.js` are the first and the last but one of its scripts,
`frame.css` is the first of its styles.
"""
