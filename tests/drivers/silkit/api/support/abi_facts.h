/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// The facts that make the library binary compatible; for C and C++. FACT(what must be true)
#include <stddef.h>

#include "tactus/silkit.h"
#include "tactus/silkit_can.h"
#include "tactus/silkit_ethernet.h"
#include "tactus/silkit_lin.h"
#include "tactus/silkit_rpc.h"
#include "tactus/silkit_unsupported.h"

#ifdef __cplusplus
#define FACT(condition) static_assert(condition, #condition)
#define IS_SIGNED(type) (static_cast<type>(-1) < static_cast<type>(1))
#else
#define FACT(condition) _Static_assert(condition, #condition)
#define IS_SIGNED(type) ((type)(-1) < (type)1)
#endif
#define TYPE(type, size, is_signed) FACT(sizeof(type) == (size) && IS_SIGNED(type) == (is_signed))
#define AT(type, member, offset) FACT(offsetof(type, member) == (offset))

TYPE(SilKit_ReturnCode, 4, 1);
TYPE(SilKit_NanosecondsTime, 8, 0);
TYPE(SilKit_NanosecondsWallclockTime, 8, 0);
TYPE(SilKit_HandlerId, 8, 0);
TYPE(SilKit_Bool, 1, 0);
TYPE(SilKit_ParticipantState, 2, 1);
TYPE(SilKit_SystemState, 2, 1);
TYPE(SilKit_OperationMode, 1, 1);
TYPE(SilKit_LabelKind, 4, 0);
TYPE(SilKit_LoggingLevel, 4, 0);

FACT(sizeof(SilKit_StructHeader) == 32);
AT(SilKit_StructHeader, version, 0);
AT(SilKit_StructHeader, _reserved, 8);
FACT(sizeof(SilKit_ByteVector) == 16);
AT(SilKit_ByteVector, data, 0);
AT(SilKit_ByteVector, size, 8);
FACT(sizeof(SilKit_Label) == 24);
AT(SilKit_Label, key, 0);
AT(SilKit_Label, value, 8);
AT(SilKit_Label, kind, 16);
FACT(sizeof(SilKit_LabelList) == 16);
AT(SilKit_LabelList, numLabels, 0);
AT(SilKit_LabelList, labels, 8);
FACT(sizeof(SilKit_StringList) == 16);
AT(SilKit_StringList, numStrings, 0);
AT(SilKit_StringList, strings, 8);
FACT(sizeof(SilKit_DataSpec) == 64);
AT(SilKit_DataSpec, structHeader, 0);
AT(SilKit_DataSpec, topic, 32);
AT(SilKit_DataSpec, mediaType, 40);
AT(SilKit_DataSpec, labelList, 48);
FACT(sizeof(SilKit_DataMessageEvent) == 56);
AT(SilKit_DataMessageEvent, structHeader, 0);
AT(SilKit_DataMessageEvent, timestamp, 32);
AT(SilKit_DataMessageEvent, data, 40);
FACT(sizeof(SilKit_ParticipantStatus) == 72);
AT(SilKit_ParticipantStatus, structHeader, 0);
AT(SilKit_ParticipantStatus, participantName, 32);
AT(SilKit_ParticipantStatus, participantState, 40);
AT(SilKit_ParticipantStatus, enterReason, 48);
AT(SilKit_ParticipantStatus, enterTime, 56);
AT(SilKit_ParticipantStatus, refreshTime, 64);
FACT(sizeof(SilKit_LifecycleConfiguration) == 40);
AT(SilKit_LifecycleConfiguration, operationMode, 32);
FACT(sizeof(SilKit_WorkflowConfiguration) == 40);
AT(SilKit_WorkflowConfiguration, requiredParticipantNames, 32);
FACT(sizeof(SilKit_ParticipantConnectionInformation) == 40);
AT(SilKit_ParticipantConnectionInformation, participantName, 32);
FACT(sizeof(SilKit_Version) == 2);

FACT(TACTUS_SILKIT_VERSION_DataMessageEvent == 0x534B050101000000U);
FACT(TACTUS_SILKIT_VERSION_DataSpec == 0x534B050201000000U);
FACT(TACTUS_SILKIT_VERSION_ParticipantStatus == 0x534B070101000000U);
FACT(TACTUS_SILKIT_VERSION_LifecycleConfiguration == 0x534B070201000000U);
FACT(TACTUS_SILKIT_VERSION_WorkflowConfiguration == 0x534B070303000000U);
FACT(TACTUS_SILKIT_VERSION_ParticipantConnectionInformation == 0x534B070401000000U);

#define NUMBER(name, number) FACT(SilKit_##name == (number))
NUMBER(ReturnCode_SUCCESS, 0);
NUMBER(ReturnCode_UNSPECIFIEDERROR, 1);
NUMBER(ReturnCode_NOTSUPPORTED, 2);
NUMBER(ReturnCode_NOTIMPLEMENTED, 3);
NUMBER(ReturnCode_BADPARAMETER, 4);
NUMBER(ReturnCode_BUFFERTOOSMALL, 5);
NUMBER(ReturnCode_TIMEOUT, 6);
NUMBER(ReturnCode_UNSUPPORTEDSERVICE, 7);
NUMBER(ReturnCode_WRONGSTATE, 8);
NUMBER(ReturnCode_TYPECONVERSIONERROR, 9);
NUMBER(ReturnCode_CONFIGURATIONERROR, 10);
NUMBER(ReturnCode_PROTOCOLERROR, 11);
NUMBER(ReturnCode_ASSERTIONERROR, 12);
NUMBER(ReturnCode_EXTENSIONERROR, 13);
NUMBER(ReturnCode_LOGICERROR, 14);
NUMBER(ReturnCode_LENGTHERROR, 15);
NUMBER(ReturnCode_OUTOFRANGEERROR, 16);

#define STATE(name, number) \
  FACT(SilKit_ParticipantState_##name == (number) && SilKit_SystemState_##name == (number))
STATE(Invalid, 0);
STATE(ServicesCreated, 10);
STATE(CommunicationInitializing, 20);
STATE(CommunicationInitialized, 30);
STATE(ReadyToRun, 40);
STATE(Running, 50);
STATE(Paused, 60);
STATE(Stopping, 70);
STATE(Stopped, 80);
STATE(Error, 90);
STATE(ShuttingDown, 100);
STATE(Shutdown, 110);
STATE(Aborting, 120);

NUMBER(OperationMode_Invalid, 0);
NUMBER(OperationMode_Coordinated, 10);
NUMBER(OperationMode_Autonomous, 20);
NUMBER(LabelKind_Undefined, 0);
NUMBER(LabelKind_Optional, 1);
NUMBER(LabelKind_Mandatory, 2);
NUMBER(LoggingLevel_Trace, 0);
NUMBER(LoggingLevel_Debug, 1);
NUMBER(LoggingLevel_Info, 2);
NUMBER(LoggingLevel_Warn, 3);
NUMBER(LoggingLevel_Error, 4);
NUMBER(LoggingLevel_Critical, 5);
NUMBER(LoggingLevel_Off, 0xFFFFFFFFU);
NUMBER(False, 0);
NUMBER(True, 1);
FACT(TACTUS_SILKIT_NO_TIME == 0x8000000000000000U);

/* ---- RPC ---- */

TYPE(SilKit_RpcCallStatus, 4, 0);
FACT(sizeof(SilKit_RpcSpec) == 64);
AT(SilKit_RpcSpec, functionName, 32);
AT(SilKit_RpcSpec, mediaType, 40);
AT(SilKit_RpcSpec, labelList, 48);
FACT(sizeof(SilKit_RpcCallEvent) == 64);
AT(SilKit_RpcCallEvent, timestamp, 32);
AT(SilKit_RpcCallEvent, callHandle, 40);
AT(SilKit_RpcCallEvent, argumentData, 48);
FACT(sizeof(SilKit_RpcCallResultEvent) == 72);
AT(SilKit_RpcCallResultEvent, timestamp, 32);
AT(SilKit_RpcCallResultEvent, userContext, 40);
AT(SilKit_RpcCallResultEvent, callStatus, 48);
AT(SilKit_RpcCallResultEvent, resultData, 56);
FACT(TACTUS_SILKIT_VERSION_RpcCallEvent == 0x534B060101000000U);
FACT(TACTUS_SILKIT_VERSION_RpcCallResultEvent == 0x534B060201000000U);
FACT(TACTUS_SILKIT_VERSION_RpcSpec == 0x534B060301000000U);
NUMBER(RpcCallStatus_Success, 0);
NUMBER(RpcCallStatus_ServerNotReachable, 1);
NUMBER(RpcCallStatus_UndefinedError, 2);
NUMBER(RpcCallStatus_InternalServerError, 3);
NUMBER(RpcCallStatus_Timeout, 4);

/* ---- CAN ---- */

TYPE(SilKit_Direction, 1, 0);
TYPE(SilKit_CanFrameFlag, 4, 0);
TYPE(SilKit_CanTransmitStatus, 4, 1);
TYPE(SilKit_CanControllerState, 4, 1);
TYPE(SilKit_CanErrorState, 4, 1);
FACT(sizeof(SilKit_CanFrame) == 64);
AT(SilKit_CanFrame, id, 32);
AT(SilKit_CanFrame, flags, 36);
AT(SilKit_CanFrame, dlc, 40);
AT(SilKit_CanFrame, sdt, 42);
AT(SilKit_CanFrame, vcid, 43);
AT(SilKit_CanFrame, af, 44);
AT(SilKit_CanFrame, data, 48);
FACT(sizeof(SilKit_CanFrameEvent) == 64);
AT(SilKit_CanFrameEvent, timestamp, 32);
AT(SilKit_CanFrameEvent, frame, 40);
AT(SilKit_CanFrameEvent, direction, 48);
AT(SilKit_CanFrameEvent, userContext, 56);
FACT(sizeof(SilKit_CanFrameTransmitEvent) == 56);
AT(SilKit_CanFrameTransmitEvent, userContext, 32);
AT(SilKit_CanFrameTransmitEvent, timestamp, 40);
AT(SilKit_CanFrameTransmitEvent, status, 48);
AT(SilKit_CanFrameTransmitEvent, canId, 52);
FACT(sizeof(SilKit_CanStateChangeEvent) == 48);
AT(SilKit_CanStateChangeEvent, timestamp, 32);
AT(SilKit_CanStateChangeEvent, state, 40);
FACT(sizeof(SilKit_CanErrorStateChangeEvent) == 48);
AT(SilKit_CanErrorStateChangeEvent, errorState, 40);
FACT(TACTUS_SILKIT_VERSION_CanFrame == 0x534B010101000000U);
FACT(TACTUS_SILKIT_VERSION_CanFrameTransmitEvent == 0x534B010202000000U);
FACT(TACTUS_SILKIT_VERSION_CanFrameEvent == 0x534B010301000000U);
FACT(TACTUS_SILKIT_VERSION_CanStateChangeEvent == 0x534B010401000000U);
FACT(TACTUS_SILKIT_VERSION_CanErrorStateChangeEvent == 0x534B010501000000U);
NUMBER(Direction_Send, 1);
NUMBER(Direction_Receive, 2);
NUMBER(Direction_SendReceive, 3);
NUMBER(CanFrameFlag_rtr, 0x10);
NUMBER(CanFrameFlag_ide, 0x200);
NUMBER(CanFrameFlag_fdf, 0x1000);
NUMBER(CanFrameFlag_brs, 0x2000);
NUMBER(CanFrameFlag_esi, 0x4000);
NUMBER(CanFrameFlag_xlf, 0x8000);
NUMBER(CanFrameFlag_sec, 0x10000);
NUMBER(CanTransmitStatus_Transmitted, 1);
NUMBER(CanTransmitStatus_Canceled, 2);
NUMBER(CanTransmitStatus_TransmitQueueFull, 4);
NUMBER(CanTransmitStatus_DefaultMask, 7);
NUMBER(CanControllerState_Uninit, 0);
NUMBER(CanControllerState_Stopped, 1);
NUMBER(CanControllerState_Started, 2);
NUMBER(CanControllerState_Sleep, 3);
NUMBER(CanErrorState_BusOff, 3);

/* ---- Ethernet ---- */

TYPE(SilKit_EthernetTransmitStatus, 4, 0);
TYPE(SilKit_EthernetState, 4, 0);
TYPE(SilKit_EthernetBitrate, 4, 0);
FACT(sizeof(SilKit_EthernetFrame) == 48);
AT(SilKit_EthernetFrame, raw, 32);
FACT(sizeof(SilKit_EthernetFrameEvent) == 64);
AT(SilKit_EthernetFrameEvent, timestamp, 32);
AT(SilKit_EthernetFrameEvent, ethernetFrame, 40);
AT(SilKit_EthernetFrameEvent, direction, 48);
AT(SilKit_EthernetFrameEvent, userContext, 56);
FACT(sizeof(SilKit_EthernetFrameTransmitEvent) == 56);
AT(SilKit_EthernetFrameTransmitEvent, userContext, 32);
AT(SilKit_EthernetFrameTransmitEvent, timestamp, 40);
AT(SilKit_EthernetFrameTransmitEvent, status, 48);
FACT(sizeof(SilKit_EthernetStateChangeEvent) == 48);
AT(SilKit_EthernetStateChangeEvent, state, 40);
FACT(sizeof(SilKit_EthernetBitrateChangeEvent) == 48);
AT(SilKit_EthernetBitrateChangeEvent, bitrate, 40);
FACT(TACTUS_SILKIT_VERSION_EthernetFrameEvent == 0x534B020101000000U);
FACT(TACTUS_SILKIT_VERSION_EthernetFrameTransmitEvent == 0x534B020201000000U);
FACT(TACTUS_SILKIT_VERSION_EthernetStateChangeEvent == 0x534B020301000000U);
FACT(TACTUS_SILKIT_VERSION_EthernetBitrateChangeEvent == 0x534B020401000000U);
FACT(TACTUS_SILKIT_VERSION_EthernetFrame == 0x534B020501000000U);
NUMBER(EthernetTransmitStatus_Transmitted, 1);
NUMBER(EthernetTransmitStatus_ControllerInactive, 2);
NUMBER(EthernetTransmitStatus_LinkDown, 4);
NUMBER(EthernetTransmitStatus_Dropped, 8);
NUMBER(EthernetTransmitStatus_InvalidFrameFormat, 32);
NUMBER(EthernetTransmitStatus_DefaultMask, 47);
NUMBER(EthernetState_Inactive, 0);
NUMBER(EthernetState_LinkDown, 1);
NUMBER(EthernetState_LinkUp, 2);

/* ---- LIN ---- */

TYPE(SilKit_LinControllerStatus, 4, 0);
TYPE(SilKit_LinControllerMode, 1, 0);
TYPE(SilKit_LinBaudRate, 4, 0);
TYPE(SilKit_LinFrameResponseMode, 1, 0);
TYPE(SilKit_LinId, 1, 0);
TYPE(SilKit_LinChecksumModel, 1, 0);
TYPE(SilKit_LinFrameResponseType, 1, 0);
TYPE(SilKit_LinFrameStatus, 1, 0);
TYPE(SilKit_LinDataLength, 1, 0);
FACT(sizeof(SilKit_LinFrame) == 48);
AT(SilKit_LinFrame, id, 32);
AT(SilKit_LinFrame, checksumModel, 33);
AT(SilKit_LinFrame, dataLength, 34);
AT(SilKit_LinFrame, data, 35);
FACT(sizeof(SilKit_LinFrameStatusEvent) == 56);
AT(SilKit_LinFrameStatusEvent, timestamp, 32);
AT(SilKit_LinFrameStatusEvent, frame, 40);
AT(SilKit_LinFrameStatusEvent, status, 48);
FACT(sizeof(SilKit_LinWakeupEvent) == 48);
AT(SilKit_LinWakeupEvent, timestamp, 32);
AT(SilKit_LinWakeupEvent, direction, 40);
FACT(sizeof(SilKit_LinGoToSleepEvent) == 40);
AT(SilKit_LinGoToSleepEvent, timestamp, 32);
FACT(sizeof(SilKit_Experimental_LinSlaveConfigurationEvent) == 40);
AT(SilKit_Experimental_LinSlaveConfigurationEvent, timestamp, 32);
FACT(sizeof(SilKit_LinFrameResponse) == 48);
AT(SilKit_LinFrameResponse, frame, 32);
AT(SilKit_LinFrameResponse, responseMode, 40);
FACT(sizeof(SilKit_LinControllerConfig) == 56);
AT(SilKit_LinControllerConfig, controllerMode, 32);
AT(SilKit_LinControllerConfig, baudRate, 36);
AT(SilKit_LinControllerConfig, numFrameResponses, 40);
AT(SilKit_LinControllerConfig, frameResponses, 48);
FACT(sizeof(SilKit_Experimental_LinControllerDynamicConfig) == 40);
AT(SilKit_Experimental_LinControllerDynamicConfig, controllerMode, 32);
AT(SilKit_Experimental_LinControllerDynamicConfig, baudRate, 36);
FACT(sizeof(SilKit_Experimental_LinSlaveConfiguration) == 96);
AT(SilKit_Experimental_LinSlaveConfiguration, isLinIdResponding, 32);
FACT(sizeof(SilKit_Experimental_LinFrameHeaderEvent) == 48);
AT(SilKit_Experimental_LinFrameHeaderEvent, timestamp, 32);
AT(SilKit_Experimental_LinFrameHeaderEvent, id, 40);
FACT(sizeof(SilKit_LinSendFrameHeaderRequest) == 48);
AT(SilKit_LinSendFrameHeaderRequest, timestamp, 32);
AT(SilKit_LinSendFrameHeaderRequest, id, 40);
FACT(TACTUS_SILKIT_VERSION_LinFrame == 0x534B040101000000U);
FACT(TACTUS_SILKIT_VERSION_LinFrameResponse == 0x534B040201000000U);
FACT(TACTUS_SILKIT_VERSION_LinControllerConfig == 0x534B040301000000U);
FACT(TACTUS_SILKIT_VERSION_LinFrameStatusEvent == 0x534B040401000000U);
FACT(TACTUS_SILKIT_VERSION_LinGoToSleepEvent == 0x534B040501000000U);
FACT(TACTUS_SILKIT_VERSION_LinWakeupEvent == 0x534B040601000000U);
FACT(TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfigurationEvent == 0x534B040701000000U);
FACT(TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfiguration == 0x534B040801000000U);
FACT(TACTUS_SILKIT_VERSION_Experimental_LinControllerDynamicConfig == 0x534B040901000000U);
FACT(TACTUS_SILKIT_VERSION_Experimental_LinFrameHeaderEvent == 0x534B040A01000000U);
FACT(TACTUS_SILKIT_VERSION_LinSendFrameHeaderRequest == 0x534B040B01000000U);
NUMBER(LinControllerStatus_Unknown, 0);
NUMBER(LinControllerStatus_Operational, 1);
NUMBER(LinControllerStatus_Sleep, 2);
NUMBER(LinControllerStatus_SleepPending, 3);
NUMBER(LinControllerMode_Inactive, 0);
NUMBER(LinControllerMode_Master, 1);
NUMBER(LinControllerMode_Slave, 2);
NUMBER(LinFrameResponseMode_Unused, 0);
NUMBER(LinFrameResponseMode_Rx, 1);
NUMBER(LinFrameResponseMode_TxUnconditional, 2);
NUMBER(LinChecksumModel_Unknown, 0);
NUMBER(LinChecksumModel_Enhanced, 1);
NUMBER(LinChecksumModel_Classic, 2);
NUMBER(LinFrameResponseType_MasterResponse, 0);
NUMBER(LinFrameResponseType_SlaveResponse, 1);
NUMBER(LinFrameResponseType_SlaveToSlave, 2);
NUMBER(LinFrameStatus_NOT_OK, 0);
NUMBER(LinFrameStatus_LIN_TX_OK, 1);
NUMBER(LinFrameStatus_LIN_TX_BUSY, 2);
NUMBER(LinFrameStatus_LIN_TX_HEADER_ERROR, 3);
NUMBER(LinFrameStatus_LIN_TX_ERROR, 4);
NUMBER(LinFrameStatus_LIN_RX_OK, 5);
NUMBER(LinFrameStatus_LIN_RX_BUSY, 6);
NUMBER(LinFrameStatus_LIN_RX_ERROR, 7);
NUMBER(LinFrameStatus_LIN_RX_NO_RESPONSE, 8);
NUMBER(LinDataLengthUnknown, 255);
