/** Blocks of IP addresses, such as `192.0.2.0/24` and `2001:db8::/32` (RFC 4632, RFC 4291 section 2.3). */
import { addressOf, groupsOf } from "./network.ts";

interface Block {
  /** The address in its usual notation. */
  address: string;
  isIpv4: boolean;
  bits: bigint;
  length: number;
}

/** The bits of an address in the form of {@link addressOf}. */
function bitsOf(address: string): bigint {
  const isIpv4 = !address.includes(":");
  const [parts, width] = isIpv4 ? [address.split(".").map(Number), 8n] : [groupsOf(address), 16n];
  return parts.reduce((bits, part) => (bits << width) | BigInt(part), 0n);
}

/** Reads a block. Undefined if the text is none, or if its address has bits after the length. */
function readBlock(text: string): Block | undefined {
  const [, start = "", digits] = /^([0-9a-fA-F.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const address = addressOf(start);
  if (address === undefined) return undefined;
  const isIpv4 = !address.includes(":");
  // The parser of URLs reads `010` as octal digits.
  if (isIpv4 && address !== start) return undefined;
  const width = isIpv4 ? 32 : 128;
  const length = digits === undefined ? width : Number(digits);
  if (length > width) return undefined;
  const bits = bitsOf(address);
  const isWhole = bits % (1n << BigInt(width - length)) === 0n;
  return isWhole ? { address, isIpv4, bits, length } : undefined;
}

/** A block in its usual notation. Undefined if the text is none, or if its address has bits after the length. */
export function canonicalBlock(text: string): string | undefined {
  const block = readBlock(text);
  if (!block) return undefined;
  const isOne = block.length === (block.isIpv4 ? 32 : 128);
  return isOne ? block.address : `${block.address}/${block.length}`;
}

/** Whether an address in the form of {@link addressOf} is in one of the blocks. */
export function isInBlocks(address: string, blocks: readonly string[]): boolean {
  const isIpv4 = !address.includes(":");
  const bits = bitsOf(address);
  return blocks.some((text) => {
    const block = readBlock(text);
    if (!block || block.isIpv4 !== isIpv4) return false;
    const rest = BigInt((isIpv4 ? 32 : 128) - block.length);
    return bits >> rest === block.bits >> rest;
  });
}
