/** The service's response to one stored operation of a transaction. */
const stored =
  "--changesetresponse_S\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\nPreference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: https://account/Articles(PartitionKey='p',RowKey='r')\r\nDataServiceId: https://account/Articles(PartitionKey='p',RowKey='r')\r\nETag: W/\"datetime'2026-11-21T00%3A52%3A49.6565681Z'\"\r\n\r\n\r\n";

export const batchResponseType = "multipart/mixed; boundary=batchresponse_R";

/** The response body of a transaction in which every operation was stored. */
export const batchResponse = (count: number): string =>
  `--batchresponse_R\r\nContent-Type: multipart/mixed; boundary=changesetresponse_S\r\n\r\n${stored.repeat(count)}--changesetresponse_S--\r\n--batchresponse_R--\r\n`;
