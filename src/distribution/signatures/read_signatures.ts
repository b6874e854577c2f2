/**
 * Verifies the signatures and attestations in a manifest, with the certificates of the operator and with the trust policies
 * of its repository. One that does not verify is stored like any other content. Limits come before work, so that a hostile
 * one costs little.
 */
import type { VerifiedSignature } from "../../registry/images/signatures.ts";
import type { CheckedSignatures, PolicyVerdict } from "../../registry/images/verdicts.ts";
import type { ReadPolicy } from "../../registry/trust_policies/stored_policies.ts";
import { DerError } from "../../signatures/der.ts";
import { verifiesArtifact } from "../../signatures/public_key.ts";
import { type Bytes, type Signature, SignatureError } from "../../signatures/signature.ts";
import { annotatedCertificate } from "../../signatures/simple_signing.ts";
import { counts, type Fault, type Verdict, verdictOf } from "../../signatures/verdict.ts";
import type { RegistryContext } from "../context.ts";
import { RegistryError } from "../errors.ts";
import {
  aboutOf,
  readLayer,
  readSubject,
  type SignedLayer,
  type SignedManifest,
  signedLayers,
} from "./layers.ts";
import { type TrustedSigner, trustedSigner } from "./trust.ts";

/** The most pairs of a signature and a policy for one manifest. Each costs at most some verifications. */
const maxPairs = 400;

/** The result for a manifest. */
export interface FoundSignatures {
  /** The signers by the certificates of the operator. */
  recorded: VerifiedSignature[];
  /** Undefined if no image is known that the manifest is about. */
  checked: CheckedSignatures | undefined;
}

/** The parts of one reading. */
interface Reading {
  context: RegistryContext;
  manifest: SignedManifest;
  policies: readonly ReadPolicy[];
  /** When the registry got the manifest first. */
  receivedTime: number;
}

/** Why no signature counted so far: the fault of the one that passed the most checks. */
interface Progress extends FoundSignatures {
  about: string;
  verdicts: PolicyVerdict[];
  fault: Fault;
}

/** Verifies the signatures. The clock of the operator's certificates is that of the context. */
export async function readSignatures(reading: Reading): Promise<FoundSignatures> {
  const { manifest, policies } = reading;
  const progress: Progress = {
    ...{ recorded: [], checked: undefined, about: manifest.subject ?? "", verdicts: [] },
    fault: { fault: "no trust policy applies to the repository", passed: -1 },
  };
  const layers = signedLayers(manifest, Math.ceil(maxPairs / Math.max(1, policies.length)));
  for (const layer of layers) {
    try {
      if (await isWorthReading(reading, layer)) await checkLayer(reading, layer, progress);
    } catch (thrown) {
      // If R2 fails, the client has to push again. All other errors are about the signature.
      if (thrown instanceof RegistryError) throw thrown;
      const isExplained = thrown instanceof SignatureError || thrown instanceof DerError;
      noteFault(progress, {
        fault: isExplained ? thrown.message : "it cannot be read",
        passed: 0,
      });
    }
  }
  const { about, verdicts, recorded, fault } = progress;
  const checked = { about, verdicts, fault: verdicts.length > 0 ? "" : fault.fault };
  return { recorded, checked: about === "" ? undefined : checked };
}

function noteFault(progress: Progress, fault: Fault): void {
  if (fault.passed > progress.fault.passed) progress.fault = fault;
}

/** Verifies one layer by each policy, and by the certificates of the operator. Throws SignatureError and DerError. */
async function checkLayer(
  { context, manifest, policies, receivedTime }: Reading,
  layer: SignedLayer,
  progress: Progress,
): Promise<void> {
  const signature = await readLayer(context, manifest, layer);
  if (!signature) throw new SignatureError("the repository does not have its bytes");
  const about = aboutOf(manifest.subject ?? progress.about, signature);
  progress.about ||= about;
  const signed = signature.signed ?? (await readSubject(context, manifest, about));
  const recorded = await recordedBy(context, signature, signed);
  if (recorded) progress.recorded.push({ digest: about, ...recorded });
  for (const policy of policies) {
    const result = await verdictOf({ signature, signed, receivedTime }, policy.trust);
    if (counts(result))
      progress.verdicts.push(toPolicyVerdict(policy, layer, signature, about, result));
    else noteFault(progress, result);
  }
}

/** Without policies, only a certificate that the operator trusts counts. The annotations of a layer can have it. */
async function isWorthReading(
  { context, policies }: Reading,
  { annotations }: SignedLayer,
): Promise<boolean> {
  if (policies.length > 0) return true;
  if (context.config.signatureRoots.length === 0) return false;
  const certificate = annotatedCertificate(annotations);
  return (
    !certificate || (await trustedSigner(context.config, certificate, context.now)) !== undefined
  );
}

const toPolicyVerdict = (
  { uid, name, trustTime }: ReadPolicy,
  { digest: layer }: SignedLayer,
  { predicateType }: Signature,
  digest: string,
  verdict: Verdict,
): PolicyVerdict => ({
  ...verdict,
  layer,
  policyUid: uid,
  policyName: name,
  trustTime,
  digest,
  predicateType,
});

/** The signer, if the operator trusts the certificate and the signature is one of an image. */
async function recordedBy(
  { config, now }: RegistryContext,
  { scheme, chain, predicateType, signature }: Signature,
  signed: Bytes,
): Promise<Omit<VerifiedSignature, "digest"> | undefined> {
  const [leaf] = chain;
  if (!leaf || scheme !== "sigstore" || predicateType !== "") return undefined;
  const signer: TrustedSigner | undefined = await trustedSigner(config, leaf, now);
  if (!signer || !(await verifiesArtifact(signer.key, signature, signed))) return undefined;
  const { issuer, subject, hasExpired } = signer;
  return { issuer, subject, hasExpired };
}
