/** A refused call by the id in its error: what was called, by whom, and the access as it is now. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import {
  type AccessDecision,
  FailedPrecondition,
  InvalidArgument,
  NotFound,
  PermissionDenied,
  type TokenLimits,
} from "../../client/index.ts";
import type { Choice } from "../data/choices.ts";
import { useCurrentGroup } from "../data/group.ts";
import { useNames } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { shownName } from "../data/shown_name.ts";
import { Button } from "../elements/button.tsx";
import { CapabilityNames } from "../elements/capabilities.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { violationOf } from "../elements/fields.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { ResourcePicker } from "../elements/pickers.tsx";
import { Empty, Loading } from "../elements/states.tsx";
import { exactTime, Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { Explanation } from "./explanation.tsx";

export default function Decision({ rest: id }: PageProps) {
  const client = useClient();
  const { get } = useParameters();
  const resource = get("resource");
  const query = useQuery({
    queryKey: ["explanation", "decision", id, resource],
    queryFn: () =>
      client.access.getAccessDecision({ id, ...(resource ? { resourceUid: resource } : {}) }),
  });
  return (
    <Page title="A refused call" path={[["Groups and access", addresses.access()]]}>
      {query.isPending && <Loading lines={6} what="Looking up the call" />}
      {query.error && <Refused error={query.error} retry={() => void query.refetch()} />}
      {query.data && <DecisionAnswer decision={query.data} />}
    </Page>
  );
}

function DecisionAnswer({ decision }: { decision: AccessDecision }) {
  const { explanation, capabilities = [], limits } = decision;
  return (
    <>
      <Section title="The call">
        <CallFacts decision={decision} />
        <p>
          It was refused because these capabilities were missing:{" "}
          <CapabilityNames values={capabilities} />
        </p>
        {limits && <Limits limits={limits} />}
      </Section>
      {explanation && (
        <>
          <p class="pale">
            This is the access as it is now{limits && ", with a token that has the same limits"}. It
            may have changed since the call.
          </p>
          <Explanation explanation={explanation} />
        </>
      )}
    </>
  );
}

function CallFacts({ decision }: { decision: AccessDecision }) {
  const { method = "", decideTime = "", expireTime, image, resourceUid = "" } = decision;
  const { identityUid = "", issuer, subject, explanation } = decision;
  const nameOf = useNames([resourceUid]);
  const who = shownName(explanation?.identityName, identityUid);
  return (
    <Facts
      facts={[
        ["Called", <code key="call">{method.replace(/^platform\./, "")}</code>],
        [
          "When",
          <span key="when">
            <Time time={decideTime} />, {exactTime(decideTime)}
          </span>,
        ],
        [
          "By",
          identityUid === "" ? (
            <bdi>{`${subject} from ${issuer}`}</bdi>
          ) : (
            <Link href={addresses.identity(identityUid)} title={identityUid}>
              <bdi>{who}</bdi>
            </Link>
          ),
        ],
        ["On", image || (resourceUid && <bdi title={resourceUid}>{nameOf(resourceUid)}</bdi>)],
        ["This id expires", <Time key="expires" time={expireTime} />],
      ]}
    />
  );
}

function Limits({ limits }: { limits: TokenLimits }) {
  const { scopeUids = [], scoped, capabilities = [], narrowed, truncated } = limits;
  const nameOf = useNames(scopeUids);
  return (
    <>
      {scoped && (
        <p>
          The token was limited to{" "}
          {scopeUids.length === 0 ? "no group" : scopeUids.map(nameOf).join(", ")}.
        </p>
      )}
      {narrowed && (
        <p>
          The token was limited to{" "}
          {capabilities.length === 0 ? "no capability" : <CapabilityNames values={capabilities} />}.
        </p>
      )}
      {truncated && <p>The id leaves out some limits of the token, because there were too many.</p>}
    </>
  );
}

/** The ways in which an id cannot be looked up. Each says what to do. */
function Refused({ error, retry }: { error: Error; retry: () => void }) {
  if (error instanceof InvalidArgument && violationOf(error, "resource_uid"))
    return <AskForResource reason={violationOf(error, "resource_uid") ?? ""} />;
  if (error instanceof FailedPrecondition && isExpired(error))
    return (
      <Empty title="This id has expired">
        <p>An id is valid for 30 days. Make the call again, and look up the new id.</p>
        <p>
          Or <Link href={addresses.access(undefined, { view: "why" })}>ask why</Link> someone may or
          may not do something now.
        </p>
      </Empty>
    );
  if (error instanceof NotFound || error instanceof InvalidArgument)
    return (
      <Empty title="There is no refused call with this id">
        <p>The platform did not create this id, or a part of it is missing. Copy the whole id.</p>
      </Empty>
    );
  if (error instanceof PermissionDenied)
    return (
      <>
        <Empty title="You cannot look up this call">
          <p>
            Only someone who can ask about the access of others on the resource can, such as an
            owner of its group. Send this address to them:
          </p>
          <CopyLine text={location.href} what="address" />
        </Empty>
        <ErrorNotice error={error} />
      </>
    );
  return <ErrorNotice error={error} retry={retry} />;
}

const isExpired = ({ violations }: FailedPrecondition) =>
  violations.some(({ type }) => type === "DECISION_EXPIRED");

/** Some calls name no uid. The person then says for which resource the access is explained. */
function AskForResource({ reason }: { reason: string }) {
  const { uid } = useCurrentGroup();
  const { get, set } = useParameters();
  const [resource, setResource] = useState<Choice>();
  const isWrong = get("resource") !== "";
  return (
    <form
      class="form access-why"
      onSubmit={(event) => {
        event.preventDefault();
        if (resource) set({ resource: resource.uid });
      }}
    >
      <p>
        The call named no resource by its uid, such as a pull of an image or a list of everything.
        Choose the group or the repository whose access is explained.
      </p>
      <ResourcePicker
        label="Group or repository"
        group={uid}
        value={resource}
        onChange={setResource}
        error={isWrong ? reason : undefined}
      />
      <Button
        type="submit"
        kind="primary"
        refusal={resource ? undefined : "Choose a group or a repository first."}
      >
        Explain
      </Button>
    </form>
  );
}
