/** The links of an account association, one part for each provider. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import type { AccountAssociation } from "../../client/index.ts";
import { useSession } from "../data/platform.tsx";
import { lastStep } from "../data/uids.ts";
import { CopyButton, Uid } from "../elements/copy.tsx";
import { Facts, Section } from "../elements/page.tsx";
import { Time } from "../elements/time.tsx";
import { addresses } from "../frame/addresses.ts";
import { CheckedSection } from "./link_check.tsx";

export function LinkSections({ association }: { association: AccountAssociation }) {
  const { uid, amazon, google, azure, github, vendor } = association;
  const { vendor: operator } = useSession().addresses;
  const pool = `${operator}-pool/providers/${operator}`;
  return (
    <>
      {amazon && (
        <CheckedSection title="AWS" uid={uid} type="ACCOUNT_PROVIDER_TYPE_AMAZON" audience="amazon">
          <Facts facts={[["Account number", <Copied key="a" text={amazon.account} />]]} />
        </CheckedSection>
      )}
      {google && (
        <CheckedSection
          title="Google Cloud"
          uid={uid}
          type="ACCOUNT_PROVIDER_TYPE_GOOGLE"
          audience={`https://iam.googleapis.com/projects/${google.projectNumber}/locations/global/workloadIdentityPools/${pool}`}
        >
          <Facts
            facts={[
              ["Project id", <Copied key="id" text={google.projectId} />],
              ["Project number", <Copied key="number" text={google.projectNumber} />],
            ]}
          />
        </CheckedSection>
      )}
      {azure && (
        <CheckedSection
          title="Microsoft Azure"
          uid={uid}
          type="ACCOUNT_PROVIDER_TYPE_AZURE"
          audience="api://AzureADTokenExchange"
        >
          <Facts
            facts={[
              ["Tenant id", <Copied key="tenant" text={azure.tenantId ?? ""} />],
              ...Object.entries(azure.clientIds ?? {}).map(
                ([component, id]): readonly [string, ComponentChildren] => [
                  `Application of ${component}`,
                  <Copied key={component} text={id} />,
                ],
              ),
            ]}
          />
        </CheckedSection>
      )}
      {github && <GitHubSection github={github} />}
      {vendor && <ServicesSection vendor={vendor} />}
      <Section title="About">
        <Facts
          facts={[
            ["Name", association.name],
            ["Uid of the group", <Uid key="uid" uid={uid} />],
            ["Created", <Time key="created" time={association.createTime} />],
            ["Changed", <Time key="changed" time={association.updateTime} />],
          ]}
        />
      </Section>
    </>
  );
}

const Copied = ({ text }: { text: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <CopyButton text={text} what={text} />
  </span>
);

function GitHubSection({ github }: { github: NonNullable<AccountAssociation["github"]> }) {
  const apps = Object.entries(github.appInstallations ?? {});
  return (
    <Section title="GitHub">
      {apps.length === 0 && <p class="account-associations-text">No app is installed.</p>}
      <ul class="account-associations-list">
        {apps.flatMap(([app, { installations = [] }]) =>
          installations.map(({ installationId, name }) => (
            <li key={`${app} ${installationId}`}>
              App <code>{app}</code>, installation <code>{installationId}</code>
              {name && (
                <>
                  {" "}
                  of <bdi>{name}</bdi>
                </>
              )}
            </li>
          )),
        )}
      </ul>
      <p class="hint">The platform cannot check a link to GitHub.</p>
    </Section>
  );
}

function ServicesSection({ vendor }: { vendor: NonNullable<AccountAssociation["vendor"]> }) {
  return (
    <Section title="Services of the operator">
      <Facts
        facts={Object.entries(vendor.serviceBindings ?? {}).map(
          ([service, identity]): readonly [string, ComponentChildren] => [
            service,
            <Link key={service} href={addresses.identity(identity)}>
              Identity {lastStep(identity)}
            </Link>,
          ],
        )}
      />
    </Section>
  );
}
