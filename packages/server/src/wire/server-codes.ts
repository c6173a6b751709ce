/** All error codes of the servers. */
export type ServerCode =
  | "InvalidInput"
  | "InvalidUri"
  | "InvalidHeaderValue"
  | "InvalidXmlDocument"
  | "InvalidQueryParameterValue"
  | "OutOfRangeQueryParameterValue"
  | "MissingRequiredQueryParameter"
  | "InvalidMarker"
  | "InvalidMetadata"
  | "EmptyMetadataKey"
  | "MetadataTooLarge"
  | "PopReceiptMismatch"
  | "MissingRequiredHeader"
  | "MissingRequiredXmlNode"
  | "InvalidResourceName"
  | "OutOfRangeInput"
  | "InvalidValueType"
  | "DuplicatePropertiesSpecified"
  | "PropertiesNeedValue"
  | "PropertyNameInvalid"
  | "PropertyNameTooLong"
  | "PropertyValueTooLarge"
  | "TooManyProperties"
  | "EntityTooLarge"
  | "InvalidDuplicateRow"
  | "CommandsInBatchActOnDifferentPartitions"
  | "XMethodIncorrectCount"
  | "XMethodIncorrectValue"
  | "XMethodNotUsingPost"
  | "AuthenticationFailed"
  | "AuthorizationFailure"
  | "AuthorizationPermissionMismatch"
  | "AuthorizationServiceMismatch"
  | "AuthorizationResourceTypeMismatch"
  | "AuthorizationProtocolMismatch"
  | "AuthorizationSourceIPMismatch"
  | "InsufficientAccountPermissions"
  | "CorsPreflightFailure"
  | "ResourceNotFound"
  | "TableNotFound"
  | "QueueNotFound"
  | "ContainerNotFound"
  | "BlobNotFound"
  | "MessageNotFound"
  | "UnsupportedHttpVerb"
  | "RequestTimeout"
  | "EntityAlreadyExists"
  | "TableAlreadyExists"
  | "TableBeingDeleted"
  | "QueueAlreadyExists"
  | "ContainerAlreadyExists"
  | "BlobAlreadyExists"
  | "ConditionNotMet"
  | "InvalidRange"
  | "InvalidPageRange"
  | "UpdateConditionNotSatisfied"
  | "RequestBodyTooLarge"
  | "AtomFormatNotSupported"
  | "JsonFormatNotSupported"
  | "JsonVerboseFormatNotSupported"
  | "MediaTypeNotSupported"
  | "InternalError"
  | "NotImplemented"
  | "ServerBusy"
  | "OperationTimedOut"
  | "TooManyRequests";

/** Source: learn.microsoft.com "Table Storage", "Queue Storage", "Blob Storage" and "Common REST API error codes". */
export const serverCodes: Readonly<Record<ServerCode, readonly [status: number, message: string]>> = {
  InvalidInput: [400, "One of the request inputs is not valid."],
  InvalidUri: [400, "The requested URI does not represent any resource on the server."],
  InvalidHeaderValue: [400, "The value for one of the HTTP headers is not in the correct format."],
  InvalidXmlDocument: [400, "XML specified is not syntactically valid."],
  InvalidQueryParameterValue: [
    400,
    "Value for one of the query parameters specified in the request URI is invalid.",
  ],
  OutOfRangeQueryParameterValue: [
    400,
    "One of the query parameters specified in the request URI is outside the permissible range.",
  ],
  MissingRequiredQueryParameter: [400, "A required query parameter was not specified for this request."],
  InvalidMarker: [400, "The specified marker is invalid."],
  InvalidMetadata: [400, "The metadata specified is invalid. It has characters that are not permitted."],
  EmptyMetadataKey: [400, "The key for one of the metadata key-value pairs is empty."],
  MetadataTooLarge: [400, "The size of the specified metadata exceeds the maximum size permitted."],
  PopReceiptMismatch: [
    400,
    "The specified pop receipt did not match the pop receipt for a dequeued message.",
  ],
  MissingRequiredHeader: [400, "A required HTTP header was not specified."],
  MissingRequiredXmlNode: [400, "A required XML node was not specified in the request body."],
  InvalidResourceName: [400, "The specifed resource name contains invalid characters."],
  OutOfRangeInput: [400, "One of the request inputs is out of range."],
  InvalidValueType: [400, "The value specified is invalid."],
  DuplicatePropertiesSpecified: [400, "A property is specified more than one time."],
  PropertiesNeedValue: [400, "Values have not been specified for all properties in the entity."],
  PropertyNameInvalid: [400, "The property name is invalid."],
  PropertyNameTooLong: [400, "The property name exceeds the maximum allowed length (255)."],
  PropertyValueTooLarge: [
    400,
    "The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.",
  ],
  TooManyProperties: [400, "The entity contains more properties than allowed."],
  EntityTooLarge: [400, "The entity is larger than the maximum allowed size (1MB)."],
  InvalidDuplicateRow: [
    400,
    "The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.",
  ],
  CommandsInBatchActOnDifferentPartitions: [
    400,
    "All commands in a batch must operate on same entity group.",
  ],
  XMethodIncorrectCount: [400, "More than one X-HTTP-Method is specified."],
  XMethodIncorrectValue: [400, "The specified X-HTTP-Method is invalid."],
  XMethodNotUsingPost: [400, "The request uses X-HTTP-Method with an HTTP verb other than POST."],
  AuthenticationFailed: [
    403,
    "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.",
  ],
  AuthorizationFailure: [403, "This request is not authorized to perform this operation."],
  AuthorizationPermissionMismatch: [
    403,
    "This request is not authorized to perform this operation using this permission.",
  ],
  AuthorizationServiceMismatch: [
    403,
    "This request is not authorized to perform this operation using this service.",
  ],
  AuthorizationResourceTypeMismatch: [
    403,
    "This request is not authorized to perform this operation using this resource type.",
  ],
  AuthorizationProtocolMismatch: [
    403,
    "This request is not authorized to perform this operation using this protocol.",
  ],
  AuthorizationSourceIPMismatch: [
    403,
    "This request is not authorized to perform this operation using this source IP.",
  ],
  InsufficientAccountPermissions: [
    403,
    "The account being accessed does not have sufficient permissions to execute this operation.",
  ],
  CorsPreflightFailure: [403, "CORS not enabled or no matching rule found for this request."],
  ResourceNotFound: [404, "The specified resource does not exist."],
  TableNotFound: [404, "The table specified does not exist."],
  QueueNotFound: [404, "The specified queue does not exist."],
  ContainerNotFound: [404, "The specified container does not exist."],
  BlobNotFound: [404, "The specified blob does not exist."],
  MessageNotFound: [404, "The specified message does not exist."],
  UnsupportedHttpVerb: [405, "The resource doesn't support specified Http Verb."],
  RequestTimeout: [408, "The server timed out while waiting for the request."],
  EntityAlreadyExists: [409, "The specified entity already exists."],
  TableAlreadyExists: [409, "The table specified already exists."],
  TableBeingDeleted: [409, "The specified table is being deleted. Try operation later."],
  QueueAlreadyExists: [409, "The specified queue already exists."],
  ContainerAlreadyExists: [409, "The specified container already exists."],
  BlobAlreadyExists: [409, "The specified blob already exists."],
  ConditionNotMet: [412, "The condition specified using HTTP conditional header(s) is not met."],
  InvalidRange: [416, "The range specified is invalid for the current size of the resource."],
  InvalidPageRange: [416, "The page range specified is invalid."],
  UpdateConditionNotSatisfied: [412, "The update condition specified in the request was not satisfied."],
  RequestBodyTooLarge: [413, "The request body is too large and exceeds the maximum permissible limit."],
  AtomFormatNotSupported: [415, "Atom format is not supported."],
  JsonFormatNotSupported: [415, "JSON format is not supported."],
  JsonVerboseFormatNotSupported: [415, "JSON verbose format is not supported."],
  MediaTypeNotSupported: [415, "None of the provided media types are supported."],
  InternalError: [500, "Server encountered an internal error. Please try again after some time."],
  NotImplemented: [501, "The requested operation is not implemented on the specified resource."],
  ServerBusy: [503, "The server is busy."],
  OperationTimedOut: [500, "The operation could not be completed within the permitted time."],
  TooManyRequests: [429, "The request rate is too large."],
};
