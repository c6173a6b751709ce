// The formats of signatures and settings, for authors of servers and clients of the services. These names may
// change in any version.

export {
  accountSasText,
  checkLetters,
  inOrder,
  invalidSas,
  limitsOfSas,
  type SasParameters,
  sasVersion,
  signSas,
  tableSasText,
} from "./sas.ts";
export {
  parseAccessPolicies,
  parseServiceProperties,
  printAccessPolicies,
  printServiceProperties,
  printServiceStatistics,
} from "./service-xml.ts";
