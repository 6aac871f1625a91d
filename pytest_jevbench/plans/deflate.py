import gzip


def gzip_bytes(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)
