/** Certificates, as a library writes them and as an attacker changes them. */
import { describe, expect, test } from "vitest";
import {
  type Certificate,
  mayIssue,
  maySignCode,
  readCertificate,
  signerOf,
} from "../../src/signatures/certificate.ts";
import { DerError, readAll } from "../../src/signatures/der.ts";
import { algorithms, defaultIssuer, newAuthority, newExtension } from "./authority.ts";

const authority = await newAuthority();
const bytesOf = ({ rawData }: { rawData: ArrayBuffer }) => new Uint8Array(rawData);

test.for(Object.values(algorithms))(
  "a certificate is read as the library wrote it: %o",
  async (algorithm) => {
    const { certificate } = await authority.newSigner({ algorithm, subject: "ana@example.com" });
    const read = readCertificate(bytesOf(certificate));
    expect(Buffer.from(read.key)).toEqual(Buffer.from(certificate.publicKey.rawData));
    expect(Buffer.from(read.signature).length).toBeGreaterThan(60);
    expect(read.notBefore).toBe(certificate.notBefore.getTime());
    expect(read.notAfter).toBe(certificate.notAfter.getTime() + 999);
    expect([...read.extensions.keys()]).toEqual(certificate.extensions.map(({ type }) => type));
    expect(signerOf(read)).toEqual({ issuer: defaultIssuer, subject: "ana@example.com" });
    expect([mayIssue(read), maySignCode(read)]).toEqual([false, true]);
  },
);

test("a root and an intermediate may issue certificates, and sign no code", () => {
  for (const certificate of [authority.root, authority.intermediate]) {
    const read = readCertificate(bytesOf(certificate));
    expect([mayIssue(read), maySignCode(read)]).toEqual([true, false]);
  }
});

/** The parts that the platform reads of a certificate, or the error of one that cannot be read. */
function readAllOf(bytes: Uint8Array<ArrayBuffer>): Certificate | "refused" {
  try {
    const certificate = readCertificate(bytes);
    signerOf(certificate);
    mayIssue(certificate);
    maySignCode(certificate);
    return certificate;
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(DerError);
    return "refused";
  }
}

describe("a damaged certificate", () => {
  test("is refused wherever it is cut off", async () => {
    const { certificate } = await authority.newSigner();
    const bytes = bytesOf(certificate);
    for (let length = 0; length < bytes.length; length += 1)
      expect(readAllOf(bytes.slice(0, length))).toBe("refused");
    expect(readAllOf(new Uint8Array([...bytes, 0]))).toBe("refused");
  });

  test("is refused or read, with any byte changed, and never fails in another way", async () => {
    const { certificate } = await authority.newSigner();
    const bytes = bytesOf(certificate);
    for (const at of bytes.keys()) {
      for (const change of [0x01, 0x80, 0xff]) {
        const changed = bytes.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        readAllOf(changed);
      }
    }
  });

  test("is refused with the same extension twice", async () => {
    const more = [1, 2].map((value) => newExtension(new Uint8Array([4, 1, value]), false));
    const { certificate } = await authority.newSigner({ more });
    expect(readAllOf(bytesOf(certificate))).toBe("refused");
  });
});

test.for([
  ["an indefinite length", [0x30, 0x80, 0, 0]],
  ["a length that could be shorter", [0x04, 0x81, 1, 0]],
  ["a length with a leading zero", [0x04, 0x82, 0, 0x80, ...Array<number>(128).fill(0)]],
  ["a length of five bytes", [0x04, 0x85, 0, 0, 0, 0, 1, 0]],
  ["a tag of two bytes", [0x1f, 0x01, 1, 0]],
  ["fewer bytes than its length", [0x04, 2, 0]],
] as [string, number[]][])("DER is refused with %s", ([, bytes]) => {
  expect(() => readAll(new Uint8Array(bytes))).toThrow(DerError);
});
