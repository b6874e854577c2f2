/** One identity provider: how people log in, their provisioning, and its role mappings. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import type { IdentityProvider } from "../../client/index.ts";
import { useGroup } from "../data/group.ts";
import { useMay } from "../data/may.ts";
import { useParameters } from "../data/parameters.ts";
import { useClient } from "../data/platform.tsx";
import { refusalOf } from "../data/refusals.ts";
import { parentOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { Uid } from "../elements/copy.tsx";
import { Name } from "../elements/name.tsx";
import { Facts, Page, Section } from "../elements/page.tsx";
import { PageAnswer } from "../elements/page_answer.tsx";
import { Answer } from "../elements/states.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import type { PageProps } from "../frame/lazy_page.tsx";
import { capabilities } from "./capabilities.ts";
import { DeleteProviderDialog } from "./delete_provider.tsx";
import { EditProvider } from "./edit_provider.tsx";
import { LoginSection } from "./login_section.tsx";
import { ScimSection } from "./scim_section.tsx";

export default function Provider({ rest: uid }: PageProps) {
  const client = useClient();
  const { get } = useParameters();
  const query = useQuery({
    queryKey: ["identityProviders", uid],
    queryFn: () => client.identityProviders.get(uid),
  });
  return (
    <PageAnswer
      query={query}
      title="Identity provider"
      path={[["Identity providers", addresses.identityProviders(parentOf(uid))]]}
    >
      {(provider) =>
        get("view") === "edit" ? (
          <EditProvider provider={provider} />
        ) : (
          <ProviderPage provider={provider} />
        )
      }
    </PageAnswer>
  );
}

function ProviderPage({ provider }: { provider: IdentityProvider }) {
  const { uid, name, description } = provider;
  const group = parentOf(uid);
  const [, navigate] = useLocation();
  const { data: shown } = useGroup(group);
  const permissions = useMay(group);
  const [isDeleting, setDeleting] = useState(false);
  const refusal = (needed: keyof typeof capabilities) =>
    refusalOf(permissions, shown?.name ?? "", ...capabilities[needed]);
  return (
    <Page
      title={name}
      path={[["Identity providers", addresses.identityProviders(group)]]}
      lead={description}
      actions={
        <>
          <Button
            refusal={refusal("update")}
            onClick={() => navigate(addresses.identityProvider(uid, "edit"))}
          >
            Edit
          </Button>
          <Button kind="danger" refusal={refusal("delete")} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <LoginSection provider={provider} />
      <ScimSection provider={provider} refusal={refusal("scim")} />
      <MappingsSection provider={provider} />
      <Section title="About">
        <Facts
          facts={[
            ["Group", <Name key="group" kind="groups" uid={group} />],
            ["Uid", <Uid key="uid" uid={uid} />],
            ["Created", <Time key="created" time={provider.createTime} />],
            ["Changed", <Time key="changed" time={provider.updateTime} />],
          ]}
        />
      </Section>
      {isDeleting && (
        <DeleteProviderDialog provider={provider} onClose={() => setDeleting(false)} />
      )}
    </Page>
  );
}

function MappingsSection({ provider: { uid, oidc } }: { provider: IdentityProvider }) {
  const client = useClient();
  const query = useQuery({
    queryKey: ["externalGroupRoleMappings", { provider: uid }, "count"],
    queryFn: async () => {
      const { totalCount, rows } = await client.externalGroupRoleMappings
        .list({ identityProviderUid: uid, pageSize: 1 })
        .page();
      return totalCount ?? rows.length;
    },
  });
  const hasClaim = Boolean(oidc?.groupsClaim);
  return (
    <Section
      title="Role mappings"
      actions={
        <Link class="button" href={addresses.roleMappings(parentOf(uid), uid)}>
          Show role mappings
        </Link>
      }
    >
      <Answer query={query} lines={1}>
        {(count) => (
          <p class="identity-providers-text">
            {count === 0
              ? "No group of this provider is mapped to a role."
              : `${count} ${count === 1 ? "role mapping gives" : "role mappings give"} roles to groups of this provider.`}
            {count > 0 && !hasClaim && " They have no effect, because there is no groups claim."}
          </p>
        )}
      </Answer>
    </Section>
  );
}
