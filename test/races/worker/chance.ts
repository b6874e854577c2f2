/** Random values that show which call drew them, and when, so that the test knows what each call created. */
import { current, type Stream } from "./call.ts";

/**
 * The first bytes of every value that a call draws. The byte of the call and the number of the draw follow.
 */
const mark = [0x5e, 0xed];
const shortest = 8;

function fill(bytes: Uint8Array, stream: Stream): void {
  stream.draws += 1;
  let state = Math.imul(stream.draws, 2_654_435_761) ^ stream.call;
  for (let at = 0; at < bytes.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  if (bytes.length < shortest) return;
  bytes.set([...mark, stream.call, stream.draws >> 8, stream.draws & 255]);
}

const hex = (bytes: Uint8Array) =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function uuidOf(bytes: Uint8Array): `${string}-${string}-${string}-${string}-${string}` {
  const text = hex(bytes);
  const [a, b, c, d] = [
    text.slice(0, 8),
    text.slice(8, 12),
    text.slice(13, 16),
    text.slice(17, 20),
  ];
  return `${a}-${b}-4${c}-8${d}-${text.slice(20)}`;
}

export function patchChance(): void {
  const { getRandomValues, randomUUID } = crypto;
  const drawn = <T extends ArrayBufferView>(view: T): T => {
    const stream = current.getStore()?.stream;
    if (!stream) return getRandomValues.call(crypto, view as never) as never;
    fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), stream);
    return view;
  };
  const drawnUuid = () => {
    const stream = current.getStore()?.stream;
    if (!stream) return randomUUID.call(crypto);
    const bytes = new Uint8Array(16);
    fill(bytes, stream);
    return uuidOf(bytes);
  };
  Object.defineProperty(crypto, "getRandomValues", { value: drawn });
  Object.defineProperty(crypto, "randomUUID", { value: drawnUuid });
}
