/** Decides whether the verdicts of a policy still count after a change of it. */
import type { WrittenTrust } from "../../signatures/trust.ts";

const hasAll = (before: readonly string[], after: readonly string[]) =>
  before.every((one) => after.includes(one));

const blocksOf = (pem: string) =>
  (pem.match(/-----BEGIN [\s\S]*?-----END [^-]*-----/g) ?? []).map((block) =>
    block.replace(/\s/g, ""),
  );

const namesOf = ({ identities }: WrittenTrust) =>
  identities.map(({ issuer, subject }) => JSON.stringify([issuer, subject]));

/**
 * Whether a policy trusts less than before. Its verdicts then count again only once the schedule has verified them. A policy
 * that only got more keys or identities keeps its verdicts. With its first Rekor key, it begins to need a log.
 */
export function trustsLess(before: WrittenTrust, after: WrittenTrust): boolean {
  const lists: [string[], string[]][] = [
    [before.publicKeys.flatMap(blocksOf), after.publicKeys.flatMap(blocksOf)],
    [namesOf(before), namesOf(after)],
    [blocksOf(before.fulcioCertificates), blocksOf(after.fulcioCertificates)],
    [blocksOf(before.rekorKeys), blocksOf(after.rekorKeys)],
    [blocksOf(before.notationCertificates), blocksOf(after.notationCertificates)],
    [before.notationSubjects, after.notationSubjects],
  ];
  const needsLog = blocksOf(before.rekorKeys).length === 0 && blocksOf(after.rekorKeys).length > 0;
  return needsLog || lists.some(([old, now]) => !hasAll(old, now));
}
