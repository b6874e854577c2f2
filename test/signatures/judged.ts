/** Judges signatures by a trust policy, and writes payloads and envelopes for them. */
import { readBundle } from "../../src/signatures/bundle.ts";
import { type Bytes, type Signature, SignatureError } from "../../src/signatures/signature.ts";
import { readSimpleSigning } from "../../src/signatures/simple_signing.ts";
import { readTrust, type Trust, type WrittenTrust } from "../../src/signatures/trust.ts";
import { counts, type Verdict, verdictOf } from "../../src/signatures/verdict.ts";
import type { Signer } from "./authority.ts";
import { base64, type KeySigner, utf8 } from "./signed_forms.ts";

/** The image that signatures are about, and another one. */
export const digest = `sha256:${"a".repeat(64)}`;
export const other = `sha256:${"b".repeat(64)}`;

export const nothing: WrittenTrust = {
  ...{ publicKeys: [], identities: [], fulcioCertificates: "", rekorKeys: "" },
  ...{ notationCertificates: "", notationSubjects: [] },
};
export const trustOf = (written: Partial<WrittenTrust>) => readTrust({ ...nothing, ...written });
export const byKeys = (...keys: KeySigner[]) => trustOf({ publicKeys: keys.map(({ pem }) => pem) });
/** The signer of a signature that counts, or why it does not. The image must be the one with `digest`. */
export async function judged(
  read: () => Signature,
  trust: Trust,
  { receivedTime = Date.now(), manifest = "" } = {},
): Promise<string | Partial<Verdict>> {
  try {
    const signature = read();
    if (!signature.digests.includes(digest)) return "another image";
    const signed = (signature.signed ?? utf8(manifest)) as Bytes;
    const result = await verdictOf({ signature, signed, receivedTime }, trust);
    if (!counts(result)) return result.fault;
    const { keyId, issuer, subject } = result;
    return keyId === "" ? `${subject} of ${issuer}` : keyId;
  } catch (thrown) {
    if (thrown instanceof SignatureError) return thrown.message;
    throw thrown;
  }
}

export const payloadOf = (about = digest, type = "cosign container image signature") =>
  JSON.stringify({ critical: { identity: {}, image: { "docker-manifest-digest": about }, type } });

/** A layer of cosign: its bytes and its annotations. */
export interface Layer {
  payload: string;
  annotations: Record<string, string>;
}

export const simple =
  ({ payload, annotations }: Layer) =>
  () =>
    readSimpleSigning(utf8(payload) as Bytes, annotations);

export const statementOf = (about = digest, predicateType = "https://slsa.dev/provenance/v1") =>
  JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "image", digest: { sha256: about.slice(7) } }],
    ...{ predicateType, predicate: {} },
  });
export const statementType = "application/vnd.in-toto+json";
export const paeOf = (payload: string) =>
  utf8(`DSSEv1 ${statementType.length} ${statementType} ${utf8(payload).length} ${payload}`);

export const envelopeOf = async (
  signer: Pick<Signer, "sign">,
  statement = statementOf(),
  signed = statement,
) => ({
  ...{ payload: base64(statement), payloadType: statementType },
  signatures: [{ sig: await signer.sign(paeOf(signed)) }],
});

export const bundled = (bundle: object) => () => readBundle(utf8(JSON.stringify(bundle)) as Bytes);
