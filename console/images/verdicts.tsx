/** The signatures and attestations of an image that count by a trust policy. */
import { Link } from "wouter-preact";
import type { Manifest, SignatureVerdict, SignedVerdict } from "../../client/index.ts";
import { parentOf } from "../data/uids.ts";
import { formatCount } from "../elements/bytes.ts";
import { Section } from "../elements/page.tsx";
import { type Column, rowsOf, Table } from "../elements/table.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";

const isSignature = ({ predicateType = "" }: SignatureVerdict) => predicateType === "";

/** The signatures of an image in words: `2, verified by release-key`. Empty without one. */
export function signatureWords({ signatureCount = 0, verdicts = [] }: Manifest): string {
  const policies = verdicts.filter(isSignature).map(({ trustPolicy = "" }) => trustPolicy);
  if (signatureCount === 0 && policies.length === 0) return "";
  const count = formatCount(Math.max(signatureCount, 1));
  if (policies.length === 0) return `${count}, not verified`;
  return `${count}, verified by ${[...new Set(policies)].join(", ")}`;
}

export function Verdicts({ manifest }: { manifest: Manifest }) {
  const { verdicts = [], signedVerdicts = [], signatureCount = 0, signatureFault = "" } = manifest;
  if (verdicts.length === 0 && signatureCount === 0) return null;
  return (
    <Section title="Signatures that count">
      {verdicts.length === 0 ? (
        <p>
          {signatureCount === 1
            ? "One signature is stored, and it does not count"
            : `${formatCount(signatureCount)} signatures are stored, and none of them counts`}
          {signatureFault && (
            <>
              : <bdi>{signatureFault}</bdi>
            </>
          )}
          . Read <a href="/docs/signatures">whose signatures count</a>.
        </p>
      ) : (
        <Table
          label="Signatures that count"
          columns={columns}
          rows={rowsOf(verdicts)}
          keyOf={(row) => JSON.stringify(row)}
          empty={null}
        />
      )}
      {signedVerdicts.map((one) => (
        <SignedByPlatform key={one.trustPolicyUid} uid={manifest.uid} verdict={one} />
      ))}
    </Section>
  );
}

/** A verdict that the platform has signed, with the referrer that contains it. */
function SignedByPlatform({ uid, verdict }: { uid: string; verdict: SignedVerdict }) {
  const { trustPolicy, digest = "", keyId = "" } = verdict;
  return (
    <p>
      The platform has signed its <Link href={addresses.image(parentOf(uid), digest)}>verdict</Link>{" "}
      by <bdi>{trustPolicy}</bdi> with the key <code title={keyId}>{keyId.slice(0, 12)}</code>. Read{" "}
      <a href="/docs/signatures#let-an-admission-controller-check-one-key">how to check it</a>.
    </p>
  );
}

const columns: Column<SignatureVerdict>[] = [
  {
    title: "Kind",
    width: "minmax(7rem, 1fr)",
    cell: (row) =>
      isSignature(row) ? "Signature" : <bdi title={row.predicateType}>{row.predicateType}</bdi>,
  },
  {
    title: "Signer",
    width: "minmax(10rem, 2fr)",
    cell: ({ keyId, subject, issuer }) => (
      <bdi title={issuer}>{keyId ? `Key ${keyId.slice(0, 12)}` : subject}</bdi>
    ),
  },
  {
    title: "Trust policy",
    width: "minmax(7rem, 1fr)",
    from: "medium",
    cell: ({ trustPolicy }) => <bdi>{trustPolicy}</bdi>,
  },
  {
    title: "Time",
    width: "8rem",
    cell: ({ logTime, receiveTime }) => <Time time={logTime ?? receiveTime} />,
  },
];
