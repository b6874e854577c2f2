/** The gains and losses of a change of access, before someone makes it. */
import type { ComponentChildren } from "preact";
import { type AccessChange, type AccessChanges, FailedPrecondition } from "../../client/index.ts";
import { shownName } from "../data/shown_name.ts";
import { shortUid } from "../data/uids.ts";
import { Badge } from "./badge.tsx";
import { CapabilityNames } from "./capabilities.tsx";
import { ErrorNotice } from "./error_notice.tsx";
import { type Answered, Loading } from "./states.tsx";

/** Shows who would gain and lose access, or that the platform would refuse the change. */
export function AccessPreview({ query }: { query: Answered<AccessChanges> }) {
  const { data, error, refetch } = query;
  if (error)
    return isLastOwner(error) ? (
      <LastOwner />
    ) : (
      <ErrorNotice error={error} retry={() => void refetch()} />
    );
  return (
    <section class="access-preview" aria-label="Preview" aria-busy={data === undefined}>
      {data ? (
        <ChangeList changes={data} />
      ) : (
        <Loading lines={2} what="Checking who gains and loses access" />
      )}
    </section>
  );
}

/** Reports whether the platform refuses a change because the organization would have no owner left. */
const isLastOwner = (error: Error | null): boolean =>
  error instanceof FailedPrecondition && error.violations.some(({ type }) => type === "LAST_OWNER");

const LastOwner = () => (
  <div class="error-notice" role="alert">
    <p class="error-message">The organization would have no owner left.</p>
    <p>
      No one could then give access to anyone. Give the role <code>owner</code> on the organization
      to someone else first.
    </p>
  </div>
);

function ChangeList({ changes: { changes = [], hasMore, hidden } }: { changes: AccessChanges }) {
  return (
    <>
      <p role="status" class="access-summary">
        {summaryOf(changes, hidden)}
      </p>
      {changes.length > 0 && (
        <ul class="access-changes">
          {changes.map((change) => (
            <li key={`${holderKey(change)} ${change.group?.uid}`}>
              <Change change={change} />
            </li>
          ))}
        </ul>
      )}
      {hasMore && <p>There are more changes. The list shows the first {changes.length}.</p>}
      {hidden && (
        <p>
          There can be changes that you may not see. To see them, you need{" "}
          <code>role_bindings.list</code> on the group, and <code>identity_providers.list</code> for
          role mappings.
        </p>
      )}
    </>
  );
}

function summaryOf(changes: readonly AccessChange[], isHidden: boolean): string {
  const holders = (part: "gained" | "lost") => [
    ...new Map(
      changes
        .filter((change) => !change.tokens && (change[part] ?? []).length > 0)
        .map((change) => [holderKey(change), holderName(change)]),
    ).values(),
  ];
  const text = (names: string[], singular: string, many: string) =>
    names.length === 0
      ? []
      : [names.length === 1 ? `${names[0]} ${singular}` : `${names.length} ${many}`];
  const tokens = (part: "gained" | "lost", sentence: string) =>
    changes.some((change) => change.tokens && (change[part] ?? []).length > 0) ? [sentence] : [];
  const parts = [
    ...tokens("gained", "The new tokens gain access"),
    ...tokens("lost", "the old tokens lose access"),
    ...text(holders("gained"), "gains access", "holders gain access"),
    ...text(holders("lost"), "loses access", "holders lose access"),
  ];
  if (parts.length > 0) return `${parts.join(", ").replace(/^the/, "The")}.`;
  return isHidden ? "You see no changes." : "No one gains or loses access.";
}

const holderName = ({ identity, externalGroup, tokens }: AccessChange): string =>
  externalGroup?.externalGroupId ||
  tokens?.identityName ||
  identity?.name ||
  identity?.email ||
  shortUid(identity?.uid ?? "");

const holderKey = ({ identity, externalGroup, tokens }: AccessChange): string =>
  [
    identity?.uid ?? "",
    externalGroup ? `${externalGroup.identityProviderUid} ${externalGroup.externalGroupId}` : "",
    tokens ? `${tokens.identityUid} ${tokens.issuer} ${tokens.subject}` : "",
  ].join("|");

function Change({ change }: { change: AccessChange }) {
  const { group, gained = [], lost = [], unchangedGroups = [] } = change;
  const except = unchangedGroups.map(({ name, uid = "" }) => shownName(name, uid)).join(", ");
  return (
    <>
      <div class="access-holder">
        <Holder change={change} />
        <span class="pale">
          on <bdi>{shownName(group?.name, group?.uid ?? "")}</bdi> and below
          {except !== "" && (
            <>
              , except on <bdi>{except}</bdi>
            </>
          )}
        </span>
      </div>
      <div class="access-difference">
        <Difference tone="good" verb="gains" values={gained} />
        <Difference tone="bad" verb="loses" values={lost} />
      </div>
    </>
  );
}

function Holder({ change }: { change: AccessChange }) {
  const { identity, externalGroup, tokens } = change;
  if (identity) {
    const { name, email } = identity;
    return <Named name={holderName(change)} note={name ? email : undefined} />;
  }
  if (externalGroup)
    return (
      <Named
        name={holderName(change)}
        note={`group at ${externalGroup.identityProviderName || "an identity provider"}`}
      />
    );
  const { issuer, subject } = tokens ?? {};
  return (
    <Named
      name={holderName(change)}
      note={`tokens of ${subject} from ${issuer || "the platform"}`}
    />
  );
}

const Named = ({ name, note }: { name: ComponentChildren; note: string | undefined }) => (
  <>
    <bdi class="access-name">{name}</bdi>
    {note && <bdi class="pale">{note}</bdi>}
  </>
);

function Difference({
  tone,
  verb,
  values,
}: {
  tone: "good" | "bad";
  verb: string;
  values: readonly string[];
}) {
  if (values.length === 0) return null;
  return (
    <div>
      <Badge tone={tone}>{verb}</Badge> <CapabilityNames values={values} />
    </div>
  );
}
