/** The view of a group that answers: may this identity do this there, and why? */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { capabilities as known } from "../../client/capabilities.ts";
import type { Capability, Group } from "../../client/index.ts";
import { type Choice, useIdentityChoice } from "../data/choices.ts";
import { useNames } from "../data/names.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient, useSessionState } from "../data/platform.tsx";
import { rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { capabilityName } from "../elements/capabilities.tsx";
import { IdentityPicker, ResourcePicker } from "../elements/pickers.tsx";
import { Answer } from "../elements/states.tsx";
import { CannotAsk, useMissingToAsk } from "./asking.tsx";
import { CapabilityPicker } from "./capability_picker.tsx";
import { Explanation } from "./explanation.tsx";
import { LoginFields } from "./login_fields.tsx";

/** A question, as it is in the address. */
interface Question {
  identity: string;
  capability: Capability;
  resource: string;
  /** For a login: the uid of the identity provider, and the groups of the person there. */
  provider: string;
  groups: string[];
}

export function Why({ group }: { group: Group }) {
  const missing = useMissingToAsk(group.uid);
  const { get } = useParameters();
  const capability = known.find(({ name }) => name === get("capability"))?.value;
  const [identity, resource] = [get("identity"), get("resource")];
  if (missing.length > 0) return <CannotAsk missing={missing} on={group.name} />;
  const question = identity &&
    capability &&
    resource && {
      identity,
      capability,
      resource,
      provider: get("provider"),
      groups: get("groups")
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    };
  const asked = ["identity", "capability", "resource", "provider", "groups"].map(get);
  return (
    <>
      <QuestionForm key={asked.join(" ")} group={group} />
      {question ? (
        <Answered question={question} />
      ) : (
        <p class="pale">
          The answer names the role that gives the access, or the one change that would give it.
        </p>
      )}
    </>
  );
}

function Answered({ question }: { question: Question }) {
  const client = useClient();
  const { identity, capability, resource, provider, groups } = question;
  const query = useQuery({
    queryKey: ["explanation", question],
    queryFn: () =>
      client.access.explainAccess({
        identityUid: identity,
        capability,
        resourceUid: resource,
        ...(provider ? { identityProviderUid: provider, externalGroupIds: groups } : {}),
      }),
  });
  return (
    <Answer query={query} lines={3}>
      {(explanation) => <Explanation explanation={explanation} />}
    </Answer>
  );
}

function QuestionForm({ group }: { group: Group }) {
  const { get, set } = useParameters();
  const state = useSessionState();
  const asked = known.find(({ name }) => name === get("capability"))?.value;
  const fromAddress = useIdentityChoice(group.uid, get("identity"));
  const [touched, setTouched] = useState<{ choice: Choice | undefined }>();
  const identity = touched ? touched.choice : fromAddress;
  const [capability, setCapability] = useState(asked);
  const resourceUid = get("resource") || group.uid;
  const nameOf = useNames([resourceUid]);
  const [picked, setPicked] = useState<Choice | undefined>({ uid: resourceUid, name: "" });
  const resource = picked && { ...picked, name: picked.name || nameOf(picked.uid) };
  const [login, setLogin] = useState({ provider: get("provider"), groups: get("groups") });
  const isReady = identity && capability && resource;
  return (
    <form
      class="form access-why"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady) return;
        set(
          {
            identity: identity.uid,
            resource: resource.uid,
            ...login,
            capability: capabilityName(capability),
          },
          { push: true },
        );
      }}
    >
      <div class="access-fields">
        <IdentityPicker
          label="Who"
          hint="A person or a workload of the organization."
          group={rootOf(group.uid)}
          range="organization"
          value={identity}
          onChange={(choice) => setTouched({ choice })}
        />
        <CapabilityPicker
          label="Capability"
          hint="A capability, or a word such as pull or delete."
          value={capability}
          onChange={setCapability}
        />
        <ResourcePicker
          label="Where"
          hint="A group, a repository, or any uid."
          group={group.uid}
          value={resource}
          onChange={setPicked}
        />
      </div>
      <LoginFields organization={rootOf(group.uid)} login={login} onChange={setLogin} />
      <div class="access-buttons">
        <Button
          type="submit"
          kind="primary"
          refusal={isReady ? undefined : "Choose who, what and where first."}
        >
          Ask
        </Button>
        {state.kind === "signed-in" && (
          <Button onClick={() => setTouched({ choice: { uid: state.uid, name: state.name } })}>
            Ask about yourself
          </Button>
        )}
      </div>
    </form>
  );
}
