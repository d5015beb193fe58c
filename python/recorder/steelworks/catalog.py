"""The master data of the story: customers, suppliers, items and machines."""

# ruff: noqa: RUF001  (names and remarks in many scripts are the point)

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

OLD_CODE, NEW_CODE = "SBQ-20", "SBQ-020"  # the primary key that changes in phase 2
LATE_ITEM = "XLT-900"  # sold and rolled from phase 1 on; its rows come in phase 2 (shop) and phase 3 (plant)
LATE_EQUIPMENT = 6  # works from phase 1 on; its row comes in phase 3


@dataclass(frozen=True)
class Item:
    """One article: ``price`` in euro per piece, ``weight`` in kilogram per piece."""

    code: str
    name: str
    price: Decimal
    grade: str
    weight: Decimal | None
    properties: str | None


def _item(code: str, name: str, price: str, grade: str, weight: str | None, properties: str | None = None) -> Item:
    return Item(code, name, Decimal(price), grade, None if weight is None else Decimal(weight), properties)


ITEMS = (
    _item("SBQ-20", "Round bar 20 mm, 6 m", "24.90", "C45", "14.796", '{"diameter_mm": 20, "length_m": 6}'),
    _item("SBQ-40", "Round bar 40 mm, 6 m", "92.50", "42CrMo4", "59.184", '{"diameter_mm": 40, "length_m": 6}'),
    _item("SBQ-80", "Round bar 80 mm, 3 m", "211.00", "42CrMo4", "118.37", '{"diameter_mm": 80, "ultrasonic": true}'),
    _item("RBR-12", "Reinforcing bar 12 mm, 12 m", "9.85", "B500B", "10.656", '{"ribbed": true}'),
    _item("RBR-16", "Reinforcing bar 16 mm, 12 m", "17.40", "B500B", "18.96", '{"ribbed": true}'),
    _item("RBR-28", "Reinforcing bar 28 mm, 12 m", "52.20", "B500B", "57.96"),
    _item(
        "HEB-200",
        "Wide flange beam HEB 200, 12 m",
        "812.00",
        "S355J2",
        "735.6",
        '{"height_mm": 200, "norm": "EN 10025-2"}',
    ),
    _item("HEB-300", "Wide flange beam HEB 300, 12 m", "1549.00", "S355J2", "1404", '{"height_mm": 300}'),
    _item("IPE-160", "Beam IPE 160, 12 m", "214.75", "S235JR", "189.6", '{"height_mm": 160}'),
    _item("UPN-120", "Channel UPN 120, 6 m", "98.30", "S235JR", "80.4"),
    _item("PLT-08", "Plate 8 mm, 2000 × 6000", "689.00", "S235JR", "753.6", '{"thickness_mm": 8, "edges": "mill"}'),
    _item("PLT-20", "Plate 20 mm, 2000 × 6000", "1780.00", "S355J2", "1884", '{"thickness_mm": 20, "edges": "cut"}'),
    _item("PLT-60", "Plate 60 mm, 2500 × 8000", "9870.00", "S460N", "9420", '{"thickness_mm": 60, "z": "Z35"}'),
    _item("SHT-15", 'Sheet 1.5 mm "DC01"', "38.60", "DC01", "36.8", '{"thickness_mm": 1.5, "coating": null}'),
    _item(
        "SHT-15Z", "Sheet 1.5 mm, zinc coated", "44.10", "DX51D", "36.92", '{"thickness_mm": 1.5, "coating": "Z275"}'
    ),
    _item("HRC-300", "Hot rolled coil, 300 kg", "201.00", "S235JR", "300", "{}"),
    _item("WRD-55", "Wire rod 5.5 mm, coil", "1460.00", "C9D", "2000", '{"coil_kg": 2000, "tensile_mpa": [390, 430]}'),
    _item("TUB-48", "Tube 48.3 × 3.2, 6 m", "31.20", "S235JRH", "21.36"),
    _item("TUB-114", "Tube 114.3 × 4, 6 m", "98.00", "S355J2H", "65.22", '{"welded": true}'),
    _item("RAIL-60", "Rail 60E1, 18 m", "1210.00", "R260", "1083.78", '{"hardness_hbw": [260, 300]}'),
    _item("RVT-008", "Rivet 8 mm", "0.02", "C10C", "0.00374", '{"head": "countersunk", "note": "\\"blank\\""}'),
    _item("NAIL-100", "Nail 100 mm", "0.01", "C9D", "0.0089"),
    _item("BLM-160", "Bloom 160 × 160, 6 m", "688.80", "C22", "1205.76", '{"cast": "continuous"}'),
    _item("ANG-50", "Angle 50 × 5, 6 m", "22.45", "S235JR", "22.62", '{"equal": true}'),
    _item("XLT-900", "Cross-laid track plate 900", "334.20", "X120Mn12", "261.125", '{"manganese": 0.12}'),
)

CUSTOMERS = (  # name, city
    ("Brückenbau Kowalski & Söhne GmbH", "Duisburg"),
    ("O'Neill Structural Steel Ltd", "Dublin"),
    ('Łódzka Huta "Nowa" S.A.', "Łódź"),
    ("Ateliers Métalliques du Rhône", "Lyon"),
    ("Çelikhan Demir Sanayi A.Ş.", "İstanbul"),
    ("Northfield Rolling Stock", "Derby"),
    ("Möbelwerk Kranz", "Graz"),
    ("Van der Velde Scheepsbouw B.V.", "Rotterdam"),
    ("日本橋鋼材株式会社", "東京"),
    ("Ferraglia Bianchi S.p.A.", "Brescia"),
    ("Hütter Landmaschinen", "Linz"),
    ("Construcciones Peña, S.L.", "Bilbao"),
    ("Skånska Stålbyggen AB", "Malmö"),
    ("Stahlhandel 24", None),
    ("Kuznetsov Мостострой", "Рига"),
    ("Ålesund Offshore AS", "Ålesund"),
    ("Tracks & Switches plc", "York"),
    ("Jean-Luc d'Arc, ferronnier", "Reims"),
    ("Dach + Wand Montage", ""),
    ("Novák Ocelové Konstrukce s.r.o.", "Ostrava"),
    ("Pfeiffer Aufzüge", "Köln"),
    ("Iberian Wind Towers", "Vigo"),
    ("Papadopoulos Ναυπηγεία", "Πειραιάς"),
    ("Rhein-Ruhr Recycling", "Essen"),
    ("Fasteners \\ Fixings Inc", "Sheffield"),
    ("Dobrý Most a.s.", "Brno"),
    ("Carpathia Steel Trading", "Košice"),
    ("Tanktechnik Baltic OÜ", "Tallinn"),
    ("Ganz Daruk Kft.", "Győr"),
    ("Zinkerei Nord", "Bremen"),
    ("Silo & Spout Engineering", "Leeds"),
    ("Marmara Rüzgâr Kuleleri", "İzmir"),
    ("Kessel- und Apparatebau Ost", "Halle"),
    ("Lindqvist Cranes", "Göteborg"),
    ("Sainte-Barbe Forage", "Liège"),
    ("Crane 🏗 Rental Oy", "Turku"),
    ("Dalian Harbour Works 大连", "大连"),
    ("Gleisbau Wagner", "Kassel"),
    ("Hangar Seven Halls", "Salzburg"),
    ("Vega Estructuras", "Sevilla"),
)

SUPPLIERS = (
    "Schrott Union Ruhr",
    "Kiruna Ore AB",
    "Elektroden «Graphit» SE",
    "Netz & Strom AG",
    "Ferro-Alloys O'Brien",
    "Walzen Irle",
    "Refractories Veitsch",
    "Rail Cargo Nord",
)


@dataclass(frozen=True)
class Equipment:
    """One machine: ``max_speed`` in pieces per hour; ``codes`` are what it makes."""

    number: int
    name: str
    line: str
    max_speed: float
    commissioned_on: str | None
    codes: tuple[str, ...]


EQUIPMENT = (
    Equipment(1, "Bar mill", "long products", 92.5, "1998-05-04", ("SBQ-20", "SBQ-40", "SBQ-80", "ANG-50")),
    Equipment(2, "Rebar mill", "long products", 410.0, "2006-11-20", ("RBR-12", "RBR-16", "RBR-28")),
    Equipment(
        3,
        "Section mill «Große Straße»",
        "long products",
        21.25,
        "1987-02-28",
        ("HEB-200", "HEB-300", "IPE-160", "UPN-120", "RAIL-60"),
    ),
    Equipment(4, "Plate mill", "flat products", 8.4, None, ("PLT-08", "PLT-20", "PLT-60", "BLM-160")),
    Equipment(5, "Cold heading", "wire", 36000.0, "2015-08-31", ("RVT-008", "NAIL-100")),
    Equipment(6, "Tube and track press", "wire", 64.0, "2026-03-01", ("TUB-48", "TUB-114", "XLT-900", "SHT-15")),
)
