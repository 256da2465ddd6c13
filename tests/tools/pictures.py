# SPDX-License-Identifier: MIT
"""
Small pictures of each kind that nnactl reads, of 32 x 16 pixels: red and green above, blue and white
below. QUADRANTS are their colours.
"""

import base64
import struct
import zlib

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
QUADRANTS = [[RED, GREEN], [BLUE, WHITE]]
# What becomes of them where they are stored so, with the orientation 1 to 8.
ORIENTED = {
    1: QUADRANTS,
    2: [[GREEN, RED], [WHITE, BLUE]],
    3: [[WHITE, BLUE], [GREEN, RED]],
    4: [[BLUE, WHITE], [RED, GREEN]],
    5: [[RED, BLUE], [GREEN, WHITE]],
    6: [[BLUE, RED], [WHITE, GREEN]],
    7: [[WHITE, GREEN], [BLUE, RED]],
    8: [[GREEN, WHITE], [RED, BLUE]],
}

FILES = {name: base64.b64decode(text) for name, text in {
    "cmyk.jpg": (
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwAGBAUGBQQGBgUGBwcGCAoQCgoJCQoUDg8MEBcUGBgXFBYWGh0lHxob"
        "IxwWFiAsICMmJykqKRkfLTAtKDAlKCko/8AAFAgAEAAgBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAA"
        "AAAAAAAJCP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAOBEMATQBZAEsAAD8A1Syoyo1SAJVqqAACVaqgAKqK"
        "qAAP/9k="),
    "plain.webp": (
        "UklGRjgAAABXRUJQVlA4TCwAAAAvH8ADAB8gEEjeHzqN+RcQFPwf3fxHZA+AINtmkpOc5AEuENH/qFL9AWzb"
        "Dw=="),
    "plain.gif": (
        "R0lGODdhIAAQAIEAAP///wD/AP8AAAAA/ywAAAAAIAAQAEAIYQAFCBxIsKCAAAgTKlwYYIDDhxAjDgBAsaLF"
        "iwAMahzIsGNCiSAfYhxZceNGjx5NakTZMWRIkiRdgoQ5UqVBlgxtFsS5UCdBngp9cgSKUKZEmhiNRkR6USlE"
        "phadioRKMSAAOw=="),
    "two.gif": (
        "R0lGODdhIAAQAIEAAP///wD/AP8AAAAA/ywAAAAAIAAQAAAIYQAFCBxIsKCAAAgTKlwYwKDDgQwjJnz4UKJE"
        "ig4tRsRoUCNDjgU9LgRJUKRCkhBNIhzAsqXLlwMAyJxJsyYAmDhb2tw5M2dOnjx94gS6UyhMojaNvkRaU6lL"
        "pjSd6oQqMyAAIfkEAQAAAQAsAAAAACAAEACBAAAAAAAAAAAAAAAACCcAAQgcSLCgwYMIEypcyLChw4cQI0qc"
        "SLGixYsYM2rcyLGjx48QAwIAOw=="),
    "turned.tif": (
        "SUkqALYAAACAAB/gCBQSBwWEQeFQJ/w2HQ+IRGGwmDRWKRSJRmNReFxyKxqQRCPSOFyGTQOOymLSWTyCSSuY"
        "S2XSqXwWZRuaTmPzeJTWdTyezqX0CIz6YTaiQ+jR6k0qhT+mxOn0eUVGUVSsUio0uVVaJ1yLVmn1OR2KxWSa"
        "WaSWij2qc2yL26qXCO3KOXSw2CE3iEXaU3yD36V4CCYK94bA3qFYTC4DGYiDY/FZHIY3EZLAQEALAAABAwAB"
        "AAAAEAAAAAEBAwABAAAAIAAAAAIBAwADAAAAQAEAAAMBAwABAAAABQAAAAYBAwABAAAAAgAAABEBBAABAAAA"
        "CAAAABIBAwABAAAABgAAABUBAwABAAAAAwAAABYBAwABAAAAIAAAABcBBAABAAAArgAAABwBAwABAAAAAQAA"
        "AAAAAAAIAAgACAA="),
    "cmyk.tif": (
        "SUkqANIAAACAAB/v8AQKCQaCwOEweFQiHQ2IQyJQuKQiCReBRmMRuNR2OR+PSGQROHySIxWTyWUSaJyORS+X"
        "TGYSGVTWUzeWSudRaZzKfT2gTmbUKcTuizyf0mg0uMUOjUSoU+KUqqUyl06sUetVGq12rS6s1Gw1KVV6zV+O"
        "2O1VuyQqz2+0Wy12K5QW7Xe8Xm9Xu+X2+3LAXSxX7CYXDYbA23BWTD43HY3E3PFTvH5XLXrI5nFw7L53L5rJ"
        "5LOZ7SZDN6DRaXVYXUa3B6vYXuAgCgAAAQMAAQAAACAAAAABAQMAAQAAABAAAAACAQMABAAAAFABAAADAQMA"
        "AQAAAAUAAAAGAQMAAQAAAAUAAAARAQQAAQAAAAgAAAAVAQMAAQAAAAQAAAAWAQMAAQAAABAAAAAXAQQAAQAA"
        "AMoAAAAcAQMAAQAAAAEAAAAAAAAACAAIAAgACAA="),
    "plain.avif": (
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGlj"
        "dAAAAAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAANAAAAChp"
        "aW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAA"
        "AAAAIAAAABAAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBIAAAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1h"
        "AAAAAAAAAAEAAQQBAoMEAAAAPG1kYXQSAAoIOBD/7SAhoNIyJkSAkNKgEEEHyAAQ7Ol6aC+1RkjHbJ9yvK7N"
        "qQl95F/E93TOdrCA"),
    "plain.jpg": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUf"
        "GhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/2wBDAQcHBwoIChMKChMoGhYaKCgoKCgoKCgoKCgoKCgoKCgo"
        "KCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCj/wAARCAAQACADAREAAhEBAxEB/8QAFwABAQEBAAAA"
        "AAAAAAAAAAAAAAcICf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/xAAZAQEAAgMAAAAAAAAAAAAAAAAABggFBwn/"
        "xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdIcsiAsSIOegDLy+LcQDparczAD//2Q=="),
}.items()}


def with_orientation(jpeg, orientation, big=False):
    """The file with a marker of Exif data, which has another tag before the orientation."""
    e = ">" if big else "<"
    tiff = (b"MM\0*" if big else b"II*\0") + struct.pack(e + "IH", 8, 2)
    tiff += struct.pack(e + "HHIHH", 0x0100, 3, 1, 4000, 0)
    tiff += struct.pack(e + "HHIHHI", 0x0112, 3, 1, orientation, 0, 0)
    data = b"Exif\0\0" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data + jpeg[2:]


def png(bits, rows):
    """Of RGB in 8 or 16 bits, without a gamma."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + \
            struct.pack(">I", zlib.crc32(kind + data))
    data = b"".join(b"\0" + b"".join(struct.pack(">3H" if bits == 16 else "3B", *pixel)
                                     for pixel in row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + \
        chunk(b"IHDR", struct.pack(">2I5B", len(rows[0]), len(rows), bits, 2, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
