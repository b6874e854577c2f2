/** Tag rules in plain words. */
import type { ComponentChildren } from "preact";
import type { ImageRequirement, KeepRule, ServeRule, TagRule } from "../../client/index.ts";
import { capitalized } from "../elements/badge.tsx";
import { Name } from "../elements/name.tsx";
import { Expiring } from "./expire_words.tsx";
import { Matches } from "./matches.tsx";

/** The tags that a rule is about and its effect, as sentences. */
export function RuleText({ rule }: { rule: TagRule }) {
  if (rule.serve) return <Serving rule={rule} serve={rule.serve} />;
  if (rule.expire) return <Expiring rule={rule} expire={rule.expire} />;
  return (
    <>
      Keeps <Matches rule={rule} />. <Condition keep={rule.keep} />
    </>
  );
}

function Serving({ rule, serve }: { rule: TagRule; serve: ServeRule }) {
  const { cooldownHours = 0, requirement, exemptRoleUid } = serve;
  return (
    <>
      Pulls of <Matches rule={rule} /> get the newest image{" "}
      {requirement ? (
        <>
          with <Needs {...requirement} />
        </>
      ) : (
        `to which the tag moved at least ${hoursText(cooldownHours)} ago`
      )}
      .
      {exemptRoleUid && (
        <>
          {" "}
          Identities with the role <Name kind="roles" uid={exemptRoleUid} /> get the image that the
          tag points to.
        </>
      )}
    </>
  );
}

const hoursText = (hours: number) => `${hours} ${hours === 1 ? "hour" : "hours"}`;

/** When the rule lets a tag change, as sentences. */
function Condition({ keep = {} }: { keep: KeepRule | undefined }) {
  if (!keep.roleUid) return <>{sentenceOf(keep)} They cannot be deleted.</>;
  return (
    <>
      Only identities with the role <Name kind="roles" uid={keep.roleUid} /> can set, move or delete
      them.
    </>
  );
}

function sentenceOf({ writeOnce, forward, promotion, requirement }: KeepRule): ComponentChildren {
  if (writeOnce) return "Each can be set once, and then not moved.";
  if (forward === "FORWARD_ORDER_VERSION")
    return "They move only to an image with a later version.";
  if (forward) return "They move only to an image that was built later.";
  if (promotion) return <Promoted from={promotion.from} hours={promotion.hours ?? 0} />;
  if (requirement)
    return (
      <>
        They can be set only to an image with <Needs {...requirement} />.
      </>
    );
  return "This page does not know the condition.";
}

function Promoted({ from, hours }: { from: string; hours: number }) {
  const time = hours === 0 ? "" : ` for ${hoursText(hours)}`;
  return (
    <>
      They can be set only to an image that a tag <code>{from}</code> has pointed to{time}.
    </>
  );
}

/** Everything that an image must have, such as `an SBOM, and the label a=b`. */
function Needs({ sbom, noFindings, label, signature, signedBy }: Partial<ImageRequirement>) {
  const parts: ComponentChildren[] = [
    sbom && "an SBOM",
    noFindings &&
      `a report without findings of severity ${severityWord(noFindings.minSeverity)} that have a fix`,
    noFindings?.allowUnknown && "or no report",
    label && (
      <>
        the label{" "}
        <code>
          <bdi>{label.name}</bdi>=<bdi>{label.value}</bdi>
        </code>
      </>
    ),
    signature && (
      <>
        a signature by{" "}
        <code>
          <bdi>{signature.subject}</bdi>
        </code>{" "}
        of{" "}
        <code>
          <bdi>{signature.issuer}</bdi>
        </code>
      </>
    ),
    signedBy && (
      <>
        {signedBy.predicateType ? (
          <>
            an attestation <code>{signedBy.predicateType}</code>
          </>
        ) : (
          "a signature"
        )}{" "}
        by the trust policy <Name kind="trustPolicies" uid={signedBy.trustPolicyUid} />
      </>
    ),
  ].filter(Boolean);
  return (
    <>
      {parts.map((part, index) => (
        <span key={index}>
          {index > 0 && (index === parts.length - 1 && part !== "or no report" ? ", and " : ", ")}
          {part}
        </span>
      ))}
    </>
  );
}

const severityWord = (severity = ""): string => {
  const word = capitalized(severity.replace("FINDING_SEVERITY_", "")).toLowerCase();
  return word === "critical" ? word : `${word} or higher`;
};
