// The files of deploy/ and the page about them: what they set exists, and what they say of each other and of the image is so.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { version } from '../src/version.ts';
import { findSettingNames } from './setting-names.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = globSync('deploy/**/*', { cwd: root, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1));
const texts = Object.fromEntries(files.map((path) => [path, read(path)]));
const containerfile = texts['deploy/Containerfile'] as string;
const page = read('docs/operations/deploy.md');
/** After which a server ends, at the latest, as docs/operations.md says. */
function stopSeconds({ ROSTER_STOP_DELAY, ROSTER_STOP_TIMEOUT = 8 }: Record<string, unknown>): number {
  return Number(ROSTER_STOP_DELAY) + Number(ROSTER_STOP_TIMEOUT) + 2;
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler checks the manifests, in the first test.
type Manifest = any;
const manifestFiles = files.filter((path) => path.startsWith('deploy/kubernetes/'));
const manifests: Manifest[] = manifestFiles.flatMap((path) =>
  parseAllDocuments(texts[path] as string).map((document) => document.toJS()),
);
const find = (kind: string): Manifest => manifests.find((manifest) => manifest.kind === kind);

suite('the files of deploy/', () => {
  test('set only what config.ts reads', () => {
    // With a variable of the compose file itself.
    const settings = new Set([...findSettingNames(), 'ROSTER_DOMAIN']);
    for (const [path, text] of Object.entries(texts)) {
      for (const name of text.match(/\bROSTER_[A-Z_]+\b/g) ?? []) assert.ok(settings.has(name), `${path}: ${name}`);
    }
  });

  test('name the image of this version', () => {
    for (const [path, text] of Object.entries({ ...texts, 'deploy.md': page })) {
      for (const [, named] of text.matchAll(/\broster:(\d[\w.]*)/g)) assert.equal(named, version, path);
    }
  });

  test('are what docs/operations/deploy.md shows', () => {
    const shown = Array.from(page.matchAll(/^```(yaml|caddy|nginx)\n(.*?)^```$/gms), ([, , code = '']) => code);
    assert.ok(shown.length >= 4);
    const all = Object.values(texts);
    for (const code of shown)
      assert.ok(
        all.some((text) => text.includes(code)),
        code,
      );
  });

  test('let a server of a compose file end by itself', () => {
    const { services, volumes } = parse(texts['deploy/postgres/compose.yaml'] as string, { merge: true });
    for (const name of ['roster-1', 'roster-2']) {
      const { environment, stop_grace_period, volumes: mounted } = services[name];
      assert.ok(Number.parseInt(stop_grace_period, 10) >= stopSeconds(environment));
      assert.deepEqual(mounted, [`${name}:/var/lib/roster`]);
      assert.ok(name in volumes);
      assert.match(texts['deploy/postgres/Caddyfile'] as string, new RegExp(`\\b${name}:8080\\b`));
    }
  });
});

suite('the manifests for Kubernetes', () => {
  const pod = find('Deployment').spec.template.spec;
  const [container] = pod.containers;

  test('have the types of Kubernetes, and no field that it does not know', async () => {
    const deployment = find('Deployment');
    const wrongType = { ...deployment, spec: { ...deployment.spec, replicas: '2' } };
    const unknownField = { ...deployment, spec: { ...deployment.spec, replica: 2 } };
    const errors = await compile({ manifests, wrongType: [wrongType], unknownField: [unknownField] });
    assert.doesNotMatch(errors, /^manifests\.ts/m);
    assert.match(errors, /^wrongType\.ts.*'string' is not assignable to type 'number/m);
    assert.match(errors, /^unknownField\.ts.*'"replica"'/m);
  });

  test('fit the image', () => {
    const [, uid, gid] = /^USER (\d+):(\d+)$/m.exec(containerfile) ?? [];
    assert.deepEqual([pod.securityContext.runAsUser, pod.securityContext.runAsGroup], [Number(uid), Number(gid)]);
    const [, port] = /^EXPOSE (\d+)$/m.exec(containerfile) ?? [];
    assert.equal(container.ports[0].containerPort, Number(port));
    const [, volume] = /^VOLUME (\S+)$/m.exec(containerfile) ?? [];
    assert.equal(container.volumeMounts[0].mountPath, volume);
  });

  test('name each other', () => {
    const labels = find('Deployment').spec.template.metadata.labels;
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      assert.deepEqual(find(kind).spec.selector.matchLabels, labels);
    }
    assert.deepEqual(find('Service').spec.selector, labels);
    assert.equal(find('Service').spec.ports[0].targetPort, container.ports[0].name);
    const { backend } = find('Ingress').spec.rules[0].http.paths[0];
    assert.equal(backend.service.name, find('Service').metadata.name);
    for (const { envFrom } of [...pod.initContainers, ...pod.containers]) {
      assert.equal(envFrom[0].secretRef.name, find('Secret').metadata.name);
    }
  });

  test('let a server end by itself, and keep the names of Services out of its settings', () => {
    const environment = container.env.map(({ name, value }: { name: string; value: string }) => [name, value]);
    assert.ok(pod.terminationGracePeriodSeconds >= stopSeconds(Object.fromEntries(environment)));
    // A Service named roster would set ROSTER_PORT to its address, and no server would start.
    assert.equal(pod.enableServiceLinks, false);
  });
});

/** What the compiler says about manifests, each a value of the type of its kind. */
async function compile(modules: Record<string, Manifest[]>): Promise<string> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'manifests-'));
  try {
    for (const [name, values] of Object.entries(modules)) {
      const code = values.map((value, index) => {
        const type = `import('kubernetes-models/${value.apiVersion}').I${value.kind}`;
        return `export const value${index}: ${type} = ${JSON.stringify(value)};\n`;
      });
      writeFileSync(join(folder, `${name}.ts`), code.join(''));
    }
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ];
    const names = Object.keys(modules).map((name) => `${name}.ts`);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    return await new Promise((resolve) => {
      const args = [tsc, ...options, '--pretty', 'false', ...names];
      execFile(process.execPath, args, { cwd: folder }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
