/** Compresses bytes with gzip (RFC 1952). */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new Blob([new Uint8Array(bytes)]).stream();
  const packed = new Response(plain.pipeThrough(new CompressionStream("gzip")));
  return new Uint8Array(await packed.arrayBuffer());
}
