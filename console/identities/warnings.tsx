/** Warnings about identities that accept more tokens than they seem to. */
import { useQuery } from "@tanstack/preact-query";
import type { Identity, IdentityWarning } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useClient } from "../data/platform.tsx";
import { parentOf } from "../data/uids.ts";
import { Badge } from "../elements/badge.tsx";
import { Icon } from "../elements/icon.tsx";
import { Section } from "../elements/page.tsx";
import { Answer } from "../elements/states.tsx";
import { Value } from "./accepts.tsx";

/** The kinds of warnings, the gravest first. */
export const warningKinds: readonly (readonly [string, string])[] = [
  ["MATCHES_EVERYTHING", "Matches everything"],
  ["OTHER_ISSUER", "Other issuers"],
  ["OTHER_OWNER", "Other owners"],
  ["EVERY_PROJECT", "Every project"],
  ["OTHER_AUDIENCE", "Other audiences"],
  ["EVERY_RUN", "Every run"],
  ["NAME_CAN_BE_REUSED", "A name that can be reused"],
  ["NOT_JUDGED", "Not judged"],
];

/** The place of a warning in that order. */
export const gravityOf = ({ kind }: IdentityWarning): number =>
  warningKinds.findIndex(([name]) => kind === `IDENTITY_WARNING_KIND_${name}`);

/** One warning after the other: what is wrong, how to fix it, and a value that gets in. */
export function WarningList({ warnings }: { warnings: readonly IdentityWarning[] }) {
  return (
    <ul class="identities-warnings">
      {warnings.map((warning) => (
        <li key={`${warning.kind} ${warning.field}`}>
          <Icon name="warning" />
          <div>
            <p>
              <Badge tone="warn">{warningKinds[gravityOf(warning)]?.[1] ?? "Warning"}</Badge>{" "}
              <code dir="auto">{warning.field}</code>
            </p>
            <p>{warning.description}</p>
            {warning.sample && (
              <p class="pale">
                It accepts, for example, <Value text={warning.sample} />
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Whether the identity has something that can match too much. Without it, the platform is not asked. */
const canWarn = ({ claimMatch, staticKeys, awsIdentity }: Identity) =>
  claimMatch !== undefined || staticKeys !== undefined || awsIdentity !== undefined;

/** The warnings about one identity. The platform judges its patterns, and needs no token for that. */
export function Warnings({ identity }: { identity: Identity }) {
  const client = useClient();
  const { uid, updateTime } = identity;
  const { may } = useMay(uid);
  const isAllowed = may("CAP_IAM_IDENTITY_UPDATE") && may("CAP_IAM_IDENTITY_LIST");
  const diagnosis = useQuery({
    queryKey: ["warnings", uid, updateTime],
    queryFn: () => client.tokenDiagnosis.diagnoseToken({ uid: parentOf(uid), identityUid: uid }),
    enabled: isAllowed === true && canWarn(identity),
  });
  if (!canWarn(identity)) return null;
  return (
    <Section title="Warnings">
      {isAllowed === false ? (
        <p class="pale">
          To see whether it accepts too much, you need <code>identity.list</code> and{" "}
          <code>identity.update</code> on its group.
        </p>
      ) : (
        <Answer query={diagnosis} lines={2}>
          {({ identities = [] }) =>
            identities[0]?.warnings?.length ? (
              <WarningList warnings={identities[0].warnings} />
            ) : (
              <p class="identities-fine">
                <Icon name="check" /> It accepts no more than it seems to.
              </p>
            )
          }
        </Answer>
      )}
    </Section>
  );
}
