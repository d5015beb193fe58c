"""Landing: the files that have arrived in a folder of this machine, whatever they are called and whatever they are."""

from entrepot.landing.arrivals import Arrival, arrivals
from entrepot.landing.cut import cut, threshold
from entrepot.landing.links import Links
from entrepot.landing.news import landed_files, news
from entrepot.landing.pattern import Pattern

__all__ = ["Arrival", "Links", "Pattern", "arrivals", "cut", "landed_files", "news", "threshold"]
