import {
  encodeManifestLabel,
  parseManifest,
  resolveAccelerator,
  resolveParameters,
  revealParameters,
} from "@changeover/manifest";

const written = {
  schemaVersion: 2,
  name: "encoder",
  accelerator: { mode: "default", value: "nvidia" },
  parameters: {
    BITRATE: { type: "number", default: 6000, help: "in kbit/s" },
    STREAM_KEY: { required: true, secret: true },
  },
  health: { path: "/healthz" },
  resources: { memory: "512m" },
  handover: { supported: true },
};

const manifest = parseManifest(written);
console.log(manifest.ports.control); // 4321
console.log(manifest.resources.memory); // 536870912
console.log(resolveAccelerator(manifest.accelerator, "none")); // none

const env = resolveParameters(manifest, { template: { BITRATE: 8000 }, instance: { STREAM_KEY: "hunter2" } });
console.log(env); // { BITRATE: '8000', STREAM_KEY: [secret] }
console.log(revealParameters(env)); // { BITRATE: '8000', STREAM_KEY: 'hunter2' }

try {
  resolveParameters(manifest, { instance: { BITRAET: 1 } });
} catch (error) {
  console.log(String(error));
  // ManifestError: parameters of "encoder":
  //   - BITRAET: is unknown; did you mean BITRATE?
  //   - STREAM_KEY: is missing, and the product requires a value
}

console.log(encodeManifestLabel(written).length); // 297
